import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import { recordedHttp } from '../support/recorded-http.ts';
import { root } from '../support/repository.ts';
import { type RunningBindery, startBindery, untilKnown } from '../support/running-bindery.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The policies that a guide shows. */
function policiesOf(guide: string): string[] {
  const text = readFileSync(join(root, 'docs', 'guides', guide), 'utf8');
  return [...text.matchAll(/```json\n([\s\S]*?)```/g)]
    .map(([, json = '']) => json)
    .filter((json) => json.includes('"allowlist"'));
}

test('the policies of the guides hold what they say [gateway:P6] [gateway:P9]', async () => {
  const home = openCommandHome();
  const check = async (policy: string, server: string, tool: string, args: object) => {
    home.write('project_mcp.json', policy);
    const flags = ['--args', JSON.stringify(args), '--cwd', home.home, '--json'];
    const { stdout } = await home.run('policy', 'check', server, tool, ...flags);
    return JSON.parse(stdout).decision;
  };
  const [gateway = ''] = policiesOf('gateway.md');
  const write = (path: string) => check(gateway, 'files', 'write_file', { path, content: 'see /etc/passwd' });
  mkdirSync(join(home.home, 'docs'));
  symlinkSync('/etc', join(home.home, 'docs', 'out'));
  const inside = [
    './docs/a.md',
    'docs/a.md',
    join(home.home, 'docs', 'a.md'),
    'docs/new/deep/a.md',
    'docs/my notes.md',
  ];
  const outside = ['a.md', '.env', './', 'docs/../.env', '/etc/passwd', '~/x', '$HOME/x', 'docs/out/passwd', ' /etc/x'];
  const governance = policiesOf('governance.md').find((json) => json.includes('allowed_domains')) ?? '';
  const fetched = (url: string) => check(governance, 'web', 'fetch', { url, body: 'see https://evil.example' });
  expect({
    inside: await Promise.all(inside.map(write)),
    outside: await Promise.all(outside.map(write)),
    files: [await check(governance, 'files', 'write_file', { path: 'docs/a.md', content: '/' })],
    hosts: [
      await fetched('https://example.com/x'),
      await fetched('https://a.example.org'),
      await fetched('https://example.org'),
      await fetched('https://example.com@evil.example'),
    ],
  }).toEqual({
    inside: inside.map(() => 'approval'),
    outside: outside.map(() => 'deny'),
    files: ['allow'],
    hosts: ['allow', 'allow', 'deny', 'deny'],
  });
});

test('policy check names the argument, what it was read as, and why it was refused [gateway:P9]', async () => {
  const home = openCommandHome();
  const rules = { allowed_roots: ['docs'], reason: 'docs only' };
  home.write('project_mcp.json', JSON.stringify({ allowlist: { servers: ['*'], operations: { write: rules } } }));
  const args = JSON.stringify({ list: ['docs/a.md', ['docs/../.env']], other: '/etc/passwd' });
  const flags = ['policy', 'check', 's', 'write', '--args', args, '--cwd', home.home];
  const { refused } = JSON.parse((await home.run(...flags, '--json')).stdout);
  const { stdout, exitCode } = await home.run(...flags);
  expect([refused, exitCode]).toEqual([
    {
      pointer: '/list/1/0',
      value: 'docs/../.env',
      read_as: join(home.home, '.env'),
      why: expect.stringContaining('is outside of the allowed roots. Without "path_arguments"'),
    },
    10,
  ]);
  expect(stdout).toContain(
    `docs only\nthe argument at /list/1/0, "docs/../.env" (read as ${join(home.home, '.env')}), is outside of the allowed roots`,
  );
});

/** A gateway before a server that runs in the project unless its entry says otherwise, and one over HTTP, both with the tool `write`. */
async function start(entry: object = {}) {
  const home = openCommandHome();
  const server = join(root, 'attack', 'servers', 'recording-server.ts');
  const record = join(home.home, 'received.jsonl');
  const web = await recordedHttp();
  ends.push(() => web.close());
  const started = { command: process.execPath, args: [server, record, '{}'], cwd: home.home };
  const files = { transport: 'stdio', ...started, ...entry };
  const servers = { files, web: { transport: 'http', url: web.url } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers }, gateway: { exposure: 'all' } }));
  const write = { allowed_roots: ['docs'], path_arguments: ['/path'] };
  home.write('project_mcp.json', JSON.stringify({ allowlist: { servers: ['*'], operations: { write } } }));
  for (const folder of ['docs', 'work/docs']) mkdirSync(join(home.home, folder), { recursive: true });
  const bindery = await startBindery({ ...home, env: { ...home.env, WORK: join(home.home, 'work') } });
  ends.push(() => bindery.stop('SIGKILL'));
  await untilKnown(bindery, 'files', 'web');
  const sent = async () =>
    (await readFile(record, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('"tools/call"'))
      .map((line) => JSON.parse(line).params.arguments.path as string);
  return { home: home.home, bindery, sent, web };
}

async function codeOf({ mcpUrl }: RunningBindery, name: string, path: string, capabilities: object = {}) {
  const session = await openSession(mcpUrl, { capabilities });
  const { result } = (await session.request('tools/call', { name, arguments: { path } })) as RpcAnswer;
  const { _meta, content } = result as { _meta?: { 'bindery/error'?: { code: string } }; content: { text: string }[] };
  return { code: _meta?.['bindery/error']?.code, text: content[0]?.text };
}

test('relative paths and roots start from the working directory of the server, variables of its entry expanded [gateway:P6]', async () => {
  const { home, bindery, sent } = await start({ cwd: `$${'{WORK}'}`, expand_env: true });
  const paths = ['docs/a.md', join(home, 'work/docs/a.md'), join(home, 'docs/a.md'), '../docs/a.md', 'a.md'];
  const codes = await Promise.all(paths.map(async (path) => (await codeOf(bindery, 'files__write', path)).code));
  expect([codes, (await sent()).sort()]).toEqual([
    [undefined, undefined, 'POLICY_DENIED', 'POLICY_DENIED', 'POLICY_DENIED'],
    [join(home, 'work/docs/a.md'), 'docs/a.md'].sort(),
  ]);
});

test('a relative path is refused where the server may start from elsewhere, and the answer says what to write [gateway:P6]', async () => {
  const { home, bindery, sent, web } = await start();
  const roots = { roots: {} };
  const absolute = join(home, 'docs/a.md');
  const [byRoots, byHttp] = [
    await codeOf(bindery, 'files__write', 'docs/a.md', roots),
    await codeOf(bindery, 'web__write', 'docs/a.md'),
  ];
  expect([byRoots, byHttp]).toMatchObject([
    {
      code: 'POLICY_DENIED',
      text: expect.stringMatching(/the argument at \/path is relative.*write an absolute path/),
    },
    {
      code: 'POLICY_DENIED',
      text: expect.stringMatching(/the argument at \/path is relative.*write an absolute path/),
    },
  ]);
  expect([byRoots.text, byHttp.text].join()).not.toContain(home);
  expect([
    (await codeOf(bindery, 'files__write', absolute, roots)).code,
    (await codeOf(bindery, 'files__write', 'docs/a.md')).code,
    (await codeOf(bindery, 'web__write', absolute)).code,
    await sent(),
    web.called(),
  ]).toEqual([undefined, undefined, undefined, [absolute, 'docs/a.md'], ['write']]);
});

test('a server that shares one process is told no roots, and relative paths start from its folder [gateway:P6]', async () => {
  const { bindery, sent } = await start({ sharing: 'shared' });
  const { code } = await codeOf(bindery, 'files__write', 'docs/a.md', { roots: {} });
  expect([code, await sent()]).toEqual([undefined, ['docs/a.md']]);
});

test('roots of policy are folders of the project, also where the server runs in a folder of its own [gateway:P6]', async () => {
  const { home, bindery, sent } = await start({ cwd: undefined });
  const absolute = join(home, 'docs/a.md');
  const codes = [
    (await codeOf(bindery, 'files__write', 'docs/a.md')).code,
    (await codeOf(bindery, 'files__write', absolute)).code,
  ];
  expect([codes, await sent()]).toEqual([['POLICY_DENIED', undefined], [absolute]]);
});
