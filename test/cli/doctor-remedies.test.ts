import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { root } from '../support/repository.ts';

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly message: string;
  readonly fix: string | null;
}

async function findings(home: ReturnType<typeof openCommandHome>, check: string): Promise<Finding[]> {
  const { findings: all } = await home.json('doctor', '--cwd', home.home);
  return all.filter((one: Finding) => one.check === check && one.level !== 'ok');
}

test('the remedy for a variable that a server needs is an edit of its entry, which works', async () => {
  const home = openCommandHome();
  const script = home.write(
    'server.mjs',
    `if (!process.env.FOO_TOKEN) { console.error('Error: FOO_TOKEN environment variable is required'); process.exit(1); }
process.argv[2] = 'notes'; await import(${JSON.stringify(join(root, 'samples/servers/server.js'))});\n`,
  );
  const entry = { transport: 'stdio', command: process.execPath, args: [script] };
  const file = home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers: { foo: entry } } }));
  const before = process.env.FOO_TOKEN;
  process.env.FOO_TOKEN = 'of the shell';
  try {
    const [found] = await findings(home, 'servers');
    expect(found?.fix).toBe(
      `It does not get the variables of your shell: add \`"env": { "FOO_TOKEN": "VALUE" }\` to mcp.servers.foo in ${file}.`,
    );
    const [, member] = /`(.*)`/.exec(found?.fix ?? '') ?? [];
    writeFileSync(file, readFileSync(file, 'utf8').replace('"transport"', `${member}, "transport"`));
    expect(await findings(home, 'servers')).toEqual([]);
  } finally {
    if (before === undefined) delete process.env.FOO_TOKEN;
    else process.env.FOO_TOKEN = before;
  }
});

test('servers of a client that are no object are an error of its file', async () => {
  const home = openCommandHome();
  const file = home.write('.claude.json', '{\n  "mcpServers": "nope"\n}\n');
  expect(await findings(home, 'clients')).toMatchObject([
    { level: 'error', message: `${file}: line 2: mcpServers is not an object` },
  ]);
});

test('a client’s server is there twice only if it is the same one, and otherwise another of that name', async () => {
  const home = openCommandHome();
  const notes = { command: process.execPath, args: [join(root, 'samples/servers/server.js'), 'notes'] };
  const servers = { same: { transport: 'stdio', ...notes }, other: { transport: 'stdio', ...notes } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
  const bindery = { url: 'http://127.0.0.1:7717/mcp' };
  const other = { url: 'http://127.0.0.1:9/mcp' };
  home.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { bindery, same: notes, other } }));
  expect((await findings(home, 'clients')).map(({ message, fix }) => [message, fix])).toEqual([
    [
      'cursor has same itself, and once more through Bindery',
      'Take it out of the client: `bindery import --from cursor --replace`.',
    ],
    [
      'cursor and Bindery each have a server called other, but they are different',
      "Rename one, or bring the client's into Bindery as other-cursor: `bindery import --from cursor --replace`.",
    ],
  ]);
});
