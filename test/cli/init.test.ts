import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { askInit } from '../../src/cli/init/ask-init.ts';
import { unitText } from '../../src/cli/init/systemd-unit.ts';
import type { InitFound } from '../../src/gateway/administration/deps.ts';
import { openCommandHome } from '../support/command-home.ts';
import { freePort } from '../support/free-port.ts';
import { root } from '../support/repository.ts';
import { commandLine, until } from '../support/running-bindery.ts';
import { Transcript, withoutColour } from '../support/transcript.ts';

const MEMORY = {
  command: process.execPath,
  args: [join(root, 'node_modules', '@modelcontextprotocol', 'server-memory', 'dist', 'index.js')],
};
/** What a person has before: a comment, tabs, a secret, a server that cannot work. */
const FILES = {
  '.cursor/mcp.json': `{\n\t// mine\n\t"mcpServers": {\n\t\t"memory": ${JSON.stringify(MEMORY)},\n\t\t"docs": { "url": "https://docs.example/mcp", "headers": { "X-Key": "s3cret-of-mine" } }\n\t}\n}\n`,
  '.claude.json': '{"numStartups": 7, "mcpServers": {"broken": {"args": []}}}',
  '.codex/config.toml': 'model = "best" # mine\n\n[mcp_servers.memory]\ncommand = "memory"\n',
};
const OURS = ['.bindery/config.json', '.bindery/project_mcp.json'];

type Home = ReturnType<typeof openCommandHome>;
const prepare = (home: { write(path: string, content: string): string }) =>
  Object.entries(FILES).map(([path, text]) => home.write(path, text));
const contents = (home: string) =>
  Object.fromEntries(
    [...Object.keys(FILES), ...OURS].map((path) => [
      path,
      existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : undefined,
    ]),
  );
const UNTOUCHED = { ...FILES, ...Object.fromEntries(OURS.map((path) => [path, undefined])) };

/** Backups are named by their time. */
const NODE = process.execPath.replace(root.replace(/\/$/, ''), 'BINDERY');
const timeless = (text: string) =>
  text
    .replaceAll(/\d{4}(-\d\d){2} [\d:]{8} UTC/g, 'TIME')
    .replaceAll(/\d{8}T\d{6}\.\d{3}Z(-\d+)?/g, 'TIME')
    .replaceAll(NODE, 'NODE');

test('what init shows and writes, and how it is undone', async () => {
  const texts: string[] = [];
  for (const colour of [false, true]) {
    const person = new Transcript(colour);
    try {
      prepare(person);
      await person.type('init');
      await person.type('init', '--yes', '--clients', 'cursor,emacs');
      await person.type('init', '--yes', '--no-start', '--policy', 'read-only', '--surfaces', 'console,client');
      const { allowlist } = JSON.parse(readFileSync(join(person.home, '.bindery/project_mcp.json'), 'utf8'));
      expect(allowlist).toEqual({ servers: ['*'], writes: 'deny' });
      await person.type('init', '--dry-run', '--no-start');
      await person.type('restore');
      expect(contents(person.home)).toEqual(UNTOUCHED);
      texts.push(timeless(person.text));
    } finally {
      rmSync(person.home, { recursive: true, force: true });
    }
  }
  const [plain, coloured] = texts as [string, string];
  await expect(plain).toMatchFileSnapshot('golden/init.txt');
  expect(withoutColour(coloured)).toBe(plain);
  await expect(coloured).toMatchFileSnapshot('golden/init.colour.txt');
});

/** The program as a person starts it, in a home of its own. */
function program({ home, env }: Pick<Home, 'home' | 'env'>, argv: readonly string[]) {
  return spawn(process.execPath, commandLine(...argv), { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function said(child: ReturnType<typeof program>): Promise<{ text: string; exitCode: number }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  const [exitCode] = await once(child, 'close');
  return { text, exitCode: Number(exitCode) };
}

/** The status of a page for a person who goes there: `fetch` says that it is a program. */
function visited(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}

let stopLater: (() => Promise<unknown>) | undefined;
afterEach(async () => {
  await stopLater?.();
  stopLater = undefined;
});

test('the gateway that init starts serves what was moved, and restore ends it', async () => {
  const home = openCommandHome();
  prepare(home);
  stopLater = () => said(program(home, ['restore']));
  const port = await freePort();
  const begun = await said(
    program(home, ['init', '--yes', '--clients', 'cursor', '--policy', 'ask-before-writes', '--port', String(port)]),
  );
  expect(begun).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining(`gateway    http://127.0.0.1:${port} (process `),
  });
  expect(JSON.parse(readFileSync(join(home.home, '.cursor/mcp.json'), 'utf8').replace(/\/\/.*/, ''))).toEqual({
    mcpServers: { bindery: { url: `http://127.0.0.1:${port}/mcp` } },
  });
  let decisions: string[] = [];
  await until('the tools are known', async () => {
    const { items } = (await (await fetch(`http://127.0.0.1:${port}/v1/tools`)).json()) as {
      items: readonly { server: string; read_only: boolean; decision: { decision: string } }[];
    };
    decisions = items.map(({ read_only, decision }) => `${read_only} ${decision.decision}`);
    return items.some(({ server }) => server === 'memory');
  });
  expect(new Set(decisions)).toEqual(new Set(['true allow', 'false approval']));
  // Output that is kept has no link: the first reader would become admin.
  expect(begun.text).not.toContain('sign_in=');
  expect(begun.text).toContain('console    for a link that signs a browser in: bindery console\n');
  const { text: link } = await said(program(home, ['console', '--no-open']));
  expect(await visited(link.trim())).toBe(200);
  // A second time there is nothing to start, and nothing to write.
  expect((await said(program(home, ['init', '--yes', '--clients', 'cursor']))).text).toContain('it ran before');
  const restored = await said(program(home, ['restore']));
  expect([restored.exitCode, restored.exitCode === 0 ? '' : restored.text]).toEqual([0, '']);
  stopLater = undefined;
  expect(contents(home.home)).toEqual(UNTOUCHED);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
}, 90_000);

test('a port that another program has is refused before any file is written', async () => {
  const home = openCommandHome();
  prepare(home);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const refused = await home.run('init', '--yes', '--clients', 'all', '--port', String(port));
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toBe(
    `error: The port is in use: port ${port} on 127.0.0.1 (PORT_IN_USE)\nnext: Choose another port with --port, or stop the program that listens there. Nothing was changed.\n`,
  );
  expect([contents(home.home), existsSync(join(home.dataDir, 'backups'))]).toEqual([UNTOUCHED, false]);
  // A gateway that is started later may find the port free.
  expect((await home.run('init', '--yes', '--no-start', '--port', String(port))).exitCode).toBe(0);
  other.close();
});

test('a service of the user is written, started and taken away again', async () => {
  const home = openCommandHome();
  const log = join(home.home, 'systemctl.log');
  // It starts what the unit says, as systemd does, and remembers what it was told.
  const fake = home.write(
    'bin/systemctl',
    `#!/bin/sh
echo "$*" >> '${log}'
case "$2 $3" in
"enable --now") eval "set -- $(sed -n 's/^ExecStart=//p' "$HOME/.config/systemd/user/bindery.service")"; "$@" >/dev/null 2>&1 & echo $! > '${home.home}/pid' ;;
"disable --now") kill "$(cat '${home.home}/pid')" ;;
esac
`,
  );
  chmodSync(fake, 0o755);
  const place = { home: home.home, env: { ...home.env, PATH: `${dirname(fake)}:${home.env.PATH}` } };
  const port = String(await freePort());
  const begun = await said(program(place, ['init', '--yes', '--start', 'service', '--port', port]));
  stopLater = () => said(program(place, ['restore']));
  expect(begun).toMatchObject({ exitCode: 0, text: expect.stringContaining('as a service of your user') });
  const undone = await said(program(place, ['restore']));
  expect([undone.exitCode, undone.exitCode === 0 ? '' : undone.text]).toEqual([0, '']);
  stopLater = undefined;
  expect(existsSync(join(home.home, '.config/systemd/user/bindery.service'))).toBe(false);
  expect(readFileSync(log, 'utf8').split('\n')).toEqual([
    '--user show-environment',
    '--user daemon-reload',
    '--user enable --now bindery.service',
    '--user disable --now bindery.service',
    '',
  ]);
}, 60_000);

test('words of the unit are what systemd reads as one word each', () => {
  const text = unitText({
    command: '/opt/my node/node',
    args: ['a"b', 'c%d', 'e$f', 'g\\h'],
    home: '/h',
    dataDir: '/d',
    env: { PATH: '/bin:/100%' },
  });
  expect(text.split('\n').filter((line) => /^(ExecStart|Environment)=/.test(line))).toEqual([
    String.raw`ExecStart="/opt/my node/node" "a\"b" "c%%d" "e$$f" "g\\h"`,
    'Environment="PATH=/bin:/100%%"',
  ]);
});

test.each([...OURS, ...Object.keys(FILES)])(
  'killed as %s is written, every file is whole, and restore brings all back',
  async (path) => {
    const home = openCommandHome();
    prepare(home);
    const folder = dirname(join(home.home, path));
    mkdirSync(folder, { recursive: true });
    const child = program(home, ['init', '--yes', '--no-start']);
    const ended = said(child);
    const watcher = watch(folder, () => {
      if (contents(home.home)[path] !== UNTOUCHED[path as keyof typeof UNTOUCHED]) child.kill('SIGKILL');
    });
    await ended;
    watcher.close();
    const after = contents(home.home);
    for (const [file, before] of Object.entries(UNTOUCHED)) {
      const text = after[file];
      if (text !== before) expect(text?.endsWith('\n') || text?.endsWith('}')).toBe(true);
    }
    // What was stopped half way is finished by the next run, and undone by as many restores as there were runs.
    expect((await home.run('init', '--yes', '--no-start')).exitCode).toBe(0);
    await home.run('restore');
    await home.run('restore');
    expect(contents(home.home)).toEqual(UNTOUCHED);
  },
  60_000,
);

const FOUND: InitFound = {
  clients: [{ client: 'cursor', file: '/srv/me/.cursor/mcp.json', servers: 3 }],
  hasPolicy: false,
  surfaces: ['console', 'cli', 'webhook'],
  url: 'http://127.0.0.1:7717',
  configuredPort: 7717,
  runningPid: undefined,
  hasServices: true,
};

/** Presses a key for each question, when it is there. */
async function answer(keys: readonly string[], given = {}) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 40 });
  let screen = '';
  let asked = 0;
  output.on('data', (chunk) => {
    screen += String(chunk);
    const questions = (screen.match(/\?\s/g) ?? []).length;
    while (asked < questions && asked < keys.length) {
      const key = keys[asked] as string;
      asked += 1;
      setImmediate(() => input.write(key));
    }
  });
  return askInit(FOUND, given, { input, output });
}

test('every question has a recommended answer, flags are not asked again, and leaving changes nothing', async () => {
  expect(await answer(['\r', '\r', '\r', '\r'])).toEqual({
    clients: ['cursor'],
    policy: 'ask-before-writes',
    surfaces: ['console', 'cli', 'webhook'],
    start: 'background',
  });
  expect(await answer([], { clients: [], policy: 'open', surfaces: [], start: 'no' })).toEqual({});
  await expect(answer(['\u0003'])).rejects.toMatchObject({ code: 'CANCELLED' });
});
