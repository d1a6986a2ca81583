import { expect, test } from 'vitest';
import type { ServerEntry } from '../config/server-entry.ts';
import { maskedArguments, maskedUrl, shownEntry } from './shown-entry.ts';

const shown = (entry: object) => shownEntry({ entry: entry as ServerEntry, reason: undefined });
const stdio = { transport: 'stdio', command: 'npx' };
const http = { transport: 'http', url: 'https://a.example/mcp' };
/** What the environment gives later. */
const VARIABLE = `\${TOKEN}`;
const masked = (kind: string, chars: number) => `***[${kind}, ${chars} characters]`;

test('a disabled or invalid entry is shown as such, on one line', () => {
  expect([
    shownEntry({ entry: undefined, reason: undefined }),
    shownEntry({ entry: undefined, reason: 'no\ncommand' }),
  ]).toEqual(['switched off here', 'invalid: no\\u{A}command']);
});

test.each<[object, string]>([
  [stdio, 'npx'],
  [{ ...stdio, args: ['-y', 'thing'], enabled: false }, 'npx -y thing'],
  [{ ...stdio, args: ['a\u202eb', 'c\nd'] }, 'npx a\\u{202E}b c\\u{A}d'],
  [http, 'https://a.example/mcp'],
  [{ transport: 'http', identity: 'ai://a.example' }, 'ai://a.example'],
  [{ transport: 'http' }, ''],
  [{ ...http, transport: 'sse' }, 'https://a.example/mcp (transport: sse)'],
  [{ ...http, env: {}, headers: {} }, 'https://a.example/mcp'],
])('%j is shown as %s', (entry, line) => {
  expect(shown(entry)).toBe(line);
});

test('everything that is run or sent is shown, and a secret by its kind and length', () => {
  const line = shown({
    ...stdio,
    args: ['--token', 'abc', '--port=1'],
    env: { PATH: '/bin', API_TOKEN: 'abcdef', LATER: 'x', FROM_ENV_TOKEN: VARIABLE },
    headers: { Authorization: 'Bearer abc def', 'X-Other': 'basic\tabc', 'X-Empty': 'Bearer ', 'X-Plain': 'plain' },
    cwd: '/srv',
    expand_env: true,
    include_tools: ['a', 'b'],
    oauth: { client_id: 'c', client_secret: 'wxyz', scopes: ['read', 7], nothing: null },
    idle_stop_ms: 5,
    request_timeout_ms: null,
  });
  expect(line).toBe(
    `npx --token ${masked('secret', 3)} --port=1 (` +
      `env: PATH=/bin, API_TOKEN=${masked('secret', 6)}, LATER=x, FROM_ENV_TOKEN=\${TOKEN}; ` +
      `headers: Authorization=Bearer ${masked('credential', 7)}, X-Other=basic ${masked('credential', 3)}, X-Empty=Bearer , X-Plain=plain; ` +
      `cwd: /srv; expand_env: true; include_tools: [a, b]; ` +
      `oauth: {client_id: c, client_secret: ${masked('secret', 4)}, scopes: [read, 7], nothing: null}; ` +
      'idle_stop_ms: 5; request_timeout_ms: null)',
  );
});

test('a secret argument is masked however short, and its neighbours are not', () => {
  expect([
    maskedArguments(['--token', 'z', 'visible', '--name', 'ada']),
    maskedArguments(['--token', '', 'visible']),
    maskedArguments(['GITHUB_TOKEN=zzz', '--api-key=k', 'plain=1']),
    maskedArguments(['--token', VARIABLE]),
    maskedArguments(['--url', 'https://ada:pw@a.example/']),
  ]).toEqual([
    ['--token', masked('secret', 1), 'visible', '--name', 'ada'],
    ['--token', '', 'visible'],
    [`GITHUB_TOKEN=${masked('secret', 3)}`, `--api-key=${masked('secret', 1)}`, 'plain=1'],
    ['--token', VARIABLE],
    ['--url', `https://ada:${masked('password', 2)}@a.example/`],
  ]);
});

test.each([
  ['https://a.example/?x=1', 'https://a.example/?x=1'],
  ['no url', 'no url'],
  ['https://ada:p%20w@a.example/', `https://ada:${masked('password', 3)}@a.example/`],
  ['https://ada@a.example/', `https://${masked('password', 3)}@a.example/`],
  ['https://a.example/?token=abc&x=1', `https://a.example/?token=${masked('password', 3)}&x=1`],
  ['https://a.example/?token=&x=1', 'https://a.example/?token=&x=1'],
  [`https://a.example/?token=${VARIABLE}`, `https://a.example/?token=${VARIABLE}`],
])('the address %s is shown as %s', (url, line) => {
  expect(maskedUrl(url)).toBe(line);
});

test('a secret in a URL is masked in a third encoding too', () => {
  expect(maskedUrl('https://a.example/?token=first+second+third')).not.toContain('second');
});
