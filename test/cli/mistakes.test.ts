import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { Transcript, withoutColour } from '../support/transcript.ts';

/** What a person types by mistake, and what they are told: looked at in a terminal of 80 columns, and kept. */
const MISTAKES: Readonly<Record<string, (person: Transcript) => Promise<unknown>>> = {
  'bare-command': (person) => person.type(),
  'help-of-a-command': async (person) => {
    await person.type('help', 'mcp', 'add');
    await person.type('help');
  },
  'wrong-words': async (person) => {
    await person.type('mpc', 'list');
    await person.type('mcp', 'ad');
    await person.type('mcp', 'frobnicate');
    for (const word of ['sttus', 'status', 'list', 'logs', 'start', 'version', '-v', 'UP', 'remove', 'frobnicate'])
      await person.type(word);
    await person.type('mcp', 'rm', 'x');
    await person.type('help', 'mpc', 'add');
    await person.type('help', 'mcp', 'ad');
    await person.type('help', 'docter');
    await person.type('help', 'nonsense');
    await person.type('hepl');
    await person.type('up', '--prot', '80');
    await person.type('mcp', 'test');
  },
  'broken-config': async (person) => {
    person.write('.bindery/config.json', '{\n  "mcp": {\n    "servers": {},\n  "bind" {}\n}\n');
    await person.type('up');
    person.write('.bindery/config.json', '{\n  // the zones of the team\n  "bind": { "zones": 7 },\n}\n');
    await person.type('up');
  },
  'data-directory-is-a-file': async (person) => {
    person.write('.bindery', 'not a folder');
    await person.type('up');
  },
  'bad-ports-and-folders': async (person) => {
    await person.type('up', '--port', 'abc');
    await person.type('up', '--port', '99999');
    await person.type('up', '--cwd', `${person.home}/nope`);
    await person.type('up', '--cwd', person.home, '--caches', 'nope');
    await person.type('up', '--cwd', person.home, '--zones', 'nope');
    await person.type('up', '--cwd', person.home, '--providers', 'nope');
    await person.type('up', '--cwd', person.home, '--db', 'nope/x.db');
    person.write('providers.yaml', 'providers: []\n');
    await person.type('up', '--cwd', person.home, '--providers', 'providers.yaml');
    await person.type('up', '--trusted-proxy', '10.0.0.0/8');
    await person.type('up', '--allow-private-endpoints');
    await person.type('stdio', '--allow-private-endpoints');
    await person.type('connect', 'claude-desktop', '--header', 'X-Team: tools');
    await person.type('up', '--host', '999.1.1.1');
    await person.type('up', '--host', '192.0.2.1', '--token', 't');
  },
  'tokens-that-cannot-be-sent': async (person) => {
    await person.type('up', '--token', 'pässwort');
    await person.type('up', '--token-file', person.write('token', 'snow ☃\n'));
    await person.type('up', '--token-file', person.write('token', 'snow☃\n'));
    person.write('.bindery/config.json', '{ "gateway": { "auth": { "token": "schlüssel" } } }\n');
    await person.type('up', '--cwd', person.home);
  },
  'no-gateway-runs': async (person) => {
    await person.type('mcp', 'add', 'memory', '--scope', 'global', '--', 'npx', '-y', 'memory-server');
    await person.type('mcp', 'status');
    await person.type('mcp', 'status', 'memmory');
    await person.type('mcp', 'remove', 'memry', '--scope', 'global');
    await person.type('tools', 'list');
    await person.type('tools', 'find', 'anything');
    await person.type('mcp', 'logs', 'memory');
    await person.type('console');
    await person.type('stop');
  },
  'adding-servers': async (person) => {
    const add = (...argv: string[]) => person.type('mcp', 'add', ...argv, '--scope', 'global');
    await add('docs', 'https://example.com/mcp', '--header', `Authorization=Bearer \${TOK}`);
    await add('docs', 'https://example.com/mcp', '--header', 'X-Team: tools');
    await add('both', 'https://example.com/mcp', '--url', 'https://example.com/mcp');
    await add('wrong name', 'https://example.com/mcp');
    await person.type('mcp', 'add', 'files', 'npx', '-y', 'server');
    await person.type('mcp', 'add', 'bad', 'name', '--', 'foo');
    await person.type('mcp', 'add', 'u', 'notaurl');
    await person.type('mcp', 'add', 'u', 'example.com/mcp');
    await person.type('mcp', 'add', '--', 'foo');
    await person.type('mcp', 'add', 'foo', '--scope', 'global', '--', 'no-such-program-here', '-y');
    await person.type('mcp', 'add', 'bar', '--scope', 'global', '--', 'npx -y thing');
    await person.type('mcp', 'list');
  },
  'empty-lists': async (person) => {
    const lists = ['mcp list', 'mcp status', 'mcp auth list', 'mcp trust --list', 'tools list', 'tools changes'];
    const others = ['approvals list', 'approvals list --status used', 'keys list', 'audit tail', 'audit search'];
    for (const list of [...lists, ...others, 'catalog search zzzz']) await person.type(...list.split(' '));
  },
  'server-that-ends': async (person) => {
    const script = 'console.error("Error: no key\\n    at start\\n\\u001b[31mred\\tof it");process.exit(3)';
    await person.type('mcp', 'add', 'ends', '--scope', 'global', '--', 'node', '-e', script);
    await person.type('mcp', 'test', 'ends');
  },
  'misspelt-values': async (person) => {
    await person.type('connect', 'claude-cod');
    await person.type('init', '--clients', 'curser');
    await person.type('restore');
  },
};

test.each(Object.keys(MISTAKES))('%s is answered as it was', async (name) => {
  const texts: string[] = [];
  for (const colour of [false, true]) {
    const person = new Transcript(colour);
    try {
      await MISTAKES[name]?.(person);
      texts.push(person.text);
    } finally {
      rmSync(person.home, { recursive: true, force: true });
    }
  }
  const [plain, coloured] = texts as [string, string];
  await expect(plain).toMatchFileSnapshot(`golden/${name}.txt`);
  expect(withoutColour(coloured)).toBe(plain);
  await expect(coloured).toMatchFileSnapshot(`golden/${name}.colour.txt`);
});

test.each([
  ['help help', 'help'],
  ['mcp help', 'help mcp'],
  ['mcp help add', 'help mcp add'],
  ['help mcp help add', 'help mcp add'],
  ['mcp auth help login', 'help mcp auth login'],
  ['mcp help ad', 'help mcp ad'],
])('`%s` is `%s`', async (typed, meant) => {
  const { run } = openCommandHome();
  expect(await run(...typed.split(' '))).toEqual(await run(...meant.split(' ')));
});

test('after a command, help is a value', async () => {
  const { run } = openCommandHome();
  expect((await run('import', 'help')).stderr).toContain('IMPORT_NOT_FOUND');
});
