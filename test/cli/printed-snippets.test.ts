import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { commandLine, createHome, until } from '../support/running-bindery.ts';
import { Transcript } from '../support/transcript.ts';

const run = promisify(execFile);

interface Entry {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
}

/** The lines of the announcement that a person copies. */
function copied(text: string): { readonly curl: string; readonly entry: Entry } {
  const [, curl = ''] = /^ {2}(curl .*\/v1\/servers)$/m.exec(text) ?? [];
  const [, json = ''] = /^ {2}(\{"mcpServers".*\})$/m.exec(text) ?? [];
  return { curl, entry: JSON.parse(json).mcpServers.bindery };
}

/** The name of the server that a client of the SDK meets with this entry. */
async function metBy({ url, headers }: Entry): Promise<string | undefined> {
  const client = new Client({ name: 'snippet', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  try {
    return client.getServerVersion()?.name;
  } finally {
    await client.close();
  }
}

test('the person who types a token gets snippets at the terminal that work as printed', async () => {
  const person = new Transcript(false);
  const { url, screen, stop } = await person.serve('--token', "it's of mine");
  try {
    const { curl, entry } = copied(screen.text());
    expect(JSON.parse((await run('sh', ['-c', `${curl} --silent --fail`])).stdout)).toHaveProperty('items');
    expect(await metBy(entry)).toBe('bindery');
    expect(screen.text()).not.toContain('BINDERY_KEY');
    // The console then shows entries with a key.
    const session = await fetch(`${url}/v1/session`, { headers: entry.headers });
    expect(await session.json()).toMatchObject({ key_needed: true });
  } finally {
    await stop();
    rmSync(person.home, { recursive: true, force: true });
  }
});

test('a token of the config is not shown: the snippets read a key that the printed command makes', async () => {
  const person = new Transcript(false);
  person.write('.bindery/config.json', '{"gateway":{"auth":{"token":"secret-of-mine"}}}');
  const { screen, stop } = await person.serve();
  await stop();
  rmSync(person.home, { recursive: true, force: true });
  expect(screen.text()).toContain('export BINDERY_KEY="$(bindery keys create my-client --scope call,read)"');
  expect(screen.text()).not.toContain('secret-of-mine');
});

test('output that may be kept has no token: its lines work in the order in which they stand', async () => {
  const home = await createHome({});
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'bindery'), `#!/bin/sh\nexec '${process.execPath}' '${commandLine().join()}' "$@"\n`);
  chmodSync(join(bin, 'bindery'), 0o755);
  const env = { ...home.env, PATH: `${bin}:${home.env.PATH}` };
  const child = spawn(process.execPath, commandLine('up', '--port', '0', '--token', 'secret-of-mine'), {
    cwd: home.cwd,
    env,
  });
  const ended = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  try {
    await until('it serves', () => text.includes('Stop: Ctrl-C'));
    expect(text).not.toContain('secret-of-mine');
    const { curl, entry } = copied(text);
    const [, makeKey = ''] = /^ {2}(export BINDERY_KEY=.*)$/m.exec(text) ?? [];
    const script = `${makeKey}\n${curl} --silent --fail >/dev/null && printf %s "$BINDERY_KEY"`;
    const { stdout: key } = await run('sh', ['-c', script], { cwd: home.cwd, env });
    // Claude Code puts the value of the variable in this place.
    const Authorization = entry.headers.Authorization.replace(`\${BINDERY_KEY}`, key);
    expect(await metBy({ ...entry, headers: { Authorization } })).toBe('bindery');
  } finally {
    child.kill('SIGTERM');
    await ended;
    await home.remove();
  }
});
