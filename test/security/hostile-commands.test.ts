import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { HIDDEN, HOSTILE } from '../support/hostile-text.ts';
import { openSession } from '../support/raw-client.ts';
import { root } from '../support/repository.ts';
import { commandLine, type RunningBindery, startBindery, until, untilKnown } from '../support/running-bindery.ts';

/*
 * The commands as people run them, with a server, configs, files, zones and documents whose texts are hostile: names with tabs, line
 * feeds, escape sequences and characters that turn the direction of text.
 */

const FORGING = join(root, 'test/fixtures/servers/forging-server.ts');
const server = { transport: 'stdio', command: process.execPath, args: [FORGING] };
const home = openCommandHome();
const zones = join(home.home, 'zones');
const corpus = join(home.home, 'corpus');
const sources = join(home.home, 'sources');
let bindery: RunningBindery;
let names: { name: string; original_name: string }[];

beforeAll(async () => {
  home.write(
    '.bindery/config.json',
    JSON.stringify({
      version: 1,
      mcp: {
        servers: {
          forger: server,
          broken: { transport: 'http', url: HOSTILE },
          absent: { transport: 'stdio', command: `/nowhere/${HOSTILE}`, args: [] },
          [HOSTILE]: server,
        },
      },
      [HOSTILE]: HOSTILE,
      gateway: { [HOSTILE]: 1, audit: { retention_days: HOSTILE } },
    }),
  );
  bindery = await startBindery(home);
  await untilKnown(bindery, 'forger');
  const { items } = (await bindery.api('GET', '/v1/tools?limit=1000')).body as { items: typeof names };
  names = items.filter(({ original_name }) => original_name.includes('evil'));
  const toolOf = (verb: string) => names.find(({ original_name }) => original_name.startsWith(verb));
  const operations = { [toolOf('waits')?.original_name ?? '']: { approval_required: true, reason: HOSTILE } };
  home.write('project_mcp.json', JSON.stringify({ allowlist: { servers: ['forger'], operations } }));
  await home.run('policy', 'reload');
  const session = await openSession(bindery.mcpUrl);
  const call = (verb: string) =>
    session.request('tools/call', { name: toolOf(verb)?.name, arguments: { [HOSTILE]: HOSTILE } });
  await call('works');
  await call('fails');
  void call('waits').catch(() => undefined);
  await until('a person is asked', async () => {
    const { body } = await bindery.api('GET', '/v1/approvals?status=pending');
    return (body as { items: unknown[] }).items.length === 1;
  });
  makeFiles();
});
afterAll(async () => bindery?.stop('SIGKILL'));

/** Zones, a corpus and documents of people who are no friends. */
function makeFiles(): void {
  for (const dir of [zones, sources]) mkdirSync(dir);
  const records = [
    { type: HOSTILE, value: HOSTILE },
    { type: 'MCP', value: `https://${HOSTILE}`, priority: HOSTILE },
  ];
  writeFileSync(
    join(zones, 'evil.json'),
    JSON.stringify({ identity: 'ai://evil', contact: HOSTILE, ttl: 60, records }),
  );
  writeFileSync(join(zones, `${HOSTILE}.json`), HOSTILE);
  cpSync(join(root, 'samples/corpus'), corpus, { recursive: true });
  const skill = join(corpus, 'skills', HOSTILE);
  mkdirSync(skill);
  writeFileSync(
    join(skill, 'canonical.md'),
    `---\nid: ${JSON.stringify(HOSTILE)}\ntitle: ${JSON.stringify(HOSTILE)}\n---\n# ${HOSTILE}\n`,
  );
  writeFileSync(join(sources, `${HOSTILE}.md`), `# ${HOSTILE}\n\n${HOSTILE}\n`);
  home.write(
    'import.json',
    JSON.stringify({ mcpServers: { [HOSTILE]: { command: HOSTILE, args: [HOSTILE] }, fine: { url: HOSTILE } } }),
  );
  home.write(
    'policy.json',
    JSON.stringify({ allowlist: { servers: [HOSTILE], tools: { [HOSTILE]: [HOSTILE] }, [HOSTILE]: 1 } }),
  );
  home.write(`${HOSTILE}.json`, HOSTILE);
}

/** No line begins as a forged one does, and nothing hidden is in any. */
function expectPlain(text: string): void {
  expect(text).not.toMatch(HIDDEN);
  expect(text.split('\n').filter((line) => /^(2026-01-01T00:00:00.000Z\tok\tforged|false line)/.test(line))).toEqual(
    [],
  );
}

const inHome = (path: string) => join(home.home, path);

describe('hostile text', () => {
  test.each<[string[], RegExp?]>([
    [['audit', 'tail'], /forger\/works evil\\u\{9\}name\\u\{A\}/],
    [['audit', 'search', '--server', 'forger'], /forger\/fails evil/],
    [['audit', 'verify'], /ok: /],
    [['tools', 'list'], /forger/],
    [['tools', 'find', 'works'], /works/],
    [['tools', 'cost'], /forger/],
    [['tools', 'changes']],
    [['tools', 'name', 'forger', 'HOSTILE'], /evil/],
    [['approvals', 'list'], /waits evil\\u\{9\}name/],
    [['mcp', 'list'], /broken/],
    [['mcp', 'status'], /forger/],
    [['mcp', 'status', 'forger'], /last_error/],
    [['mcp', 'status', 'HOSTILE'], /evil\\u\{9\}column.*\terror\t/],
    [['mcp', 'logs', 'forger'], /first line\nsecond \\u\{1B\}/],
    [['mcp', 'logs', 'HOSTILE']],
    [['mcp', 'test', 'absent'], /failed/],
    [['mcp', 'test', 'forger'], /ok, 3 tools/],
    [['mcp', 'trust', '--list']],
    [['mcp', 'add', 'HOSTILE', '--url', 'https://a.example/']],
    [['mcp', 'remove', 'HOSTILE']],
    [['mcp', 'auth', 'list']],
    [['policy', 'check', 'forger', 'HOSTILE'], /forger\/evil\\u\{9\}column/],
    [['policy', 'lint', inHome('policy.json')], /ok/],
    [['policy', 'lint', inHome('HOSTILE.json')]],
    [['policy', 'show']],
    [['import', inHome('import.json'), '--dry-run'], /evil/],
    [['import', inHome('import.json')], /CONFIRMATION_REQUIRED/],
    [['import', inHome('HOSTILE.json')]],
    [['keys', 'create', 'HOSTILE']],
    [['keys', 'list'], /evil/],
    [['backup', 'restore', inHome('HOSTILE')], /BACKUP_NOT_FOUND/],
    [['bind', 'lint', '--zones', zones], /evil/],
    [['bind', 'resolve', 'ai://evil', '--zones', zones]],
    [['bind', 'explain', 'ai://evil', '--zones', zones]],
    [['civic', 'check', corpus], /evil/],
    [['civic', 'build', corpus]],
    [['context', 'build', '--sources', sources, '--cache', inHome('cache')], /built 1 documents/],
    [['context', 'build', '--sources', inHome('HOSTILE'), '--cache', inHome('cache')], /io_error/],
    [['no', 'HOSTILE'], /USAGE/],
    [['mcp', 'HOSTILE'], /USAGE/],
    [['audit', 'tail', '--HOSTILE'], /USAGE/],
    [['audit', 'search', '--since', 'HOSTILE'], /INVALID_ARGUMENTS/],
  ])('is text in: bindery %j', async (argv, expected) => {
    const { stdout, stderr } = await home.run(...argv.map((word) => word.replaceAll('HOSTILE', HOSTILE)));
    expectPlain(stdout);
    expectPlain(stderr);
    if (expected) expect(`${stdout}${stderr}`).toMatch(expected);
  });

  test('is text in the question that a person is shown', async () => {
    const { items } = await home.json('approvals', 'list');
    const { stdout } = await home.run('approvals', 'show', items[0].id);
    expectPlain(stdout);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'pending',
      expect.stringContaining('Allow forger/waits evil\\u{9}name\\u{A}'),
    ]);
  });

  test('is text in what a tool answers, on as many lines as it has', async () => {
    const works = names.find(({ original_name }) => original_name.startsWith('works'))?.name ?? '';
    const { stdout } = await home.run('tools', 'call', works);
    expect(stdout).toBe('first line\nsecond \\u{1B}]0;title\\u{7}\\u{202E}line\n');
  });

  test.each([
    [['approvals', 'watch'], 'waits evil'],
    [['audit', 'tail', '-f'], 'works evil'],
  ])('is text in what is shown as it comes: bindery %j', async (argv, expected) => {
    const child = spawn(process.execPath, commandLine(...argv), { cwd: home.cwd, env: home.env });
    const shown = await untilShown(child, expected);
    child.kill('SIGKILL');
    expectPlain(shown);
  });

  test('is text in the shell', async () => {
    const child = spawn(process.execPath, commandLine('shell', '--headless', '--allow', 'forger/*'), {
      cwd: home.cwd,
      env: { ...home.env, BINDERY_APPROVAL_MODE: 'minimal' },
    });
    child.stdin.end(
      `/mcp\n/mcp forger\n/mcp absent\n/tools\n/mcp logs forger\n/tools ${HOSTILE.split('\n')[0]}\n/nothing \u001b[2J\n`,
    );
    const shown = await untilShown(child, 'there is no command');
    expectPlain(shown);
    expect(shown).toContain('forger/works evil\\u{9}name\\u{A}2026-01-01');
  });

  test('is text in what a gateway says when it starts', async () => {
    await home.run('context', 'build', '--sources', sources, '--cache', join(home.home, 'caches', HOSTILE));
    const argv = commandLine('up', '--port', '0', '--beside', '--caches', join(home.home, 'caches'));
    const child = spawn(process.execPath, argv, { cwd: home.cwd, env: home.env });
    const shown = await untilShown(child, 'Stop: Ctrl-C');
    child.kill('SIGKILL');
    expectPlain(shown);
    expect(shown).toContain('/v1/context/');
  });

  test('is escaped in the log of a gateway, which stays JSON', () => {
    const lines = bindery.stderr().trimEnd().split('\n');
    expect(bindery.stderr()).not.toMatch(HIDDEN);
    expect(lines.map((line) => JSON.parse(line).message).join('\n')).toContain('\u202edesrever');
  });
});

/** What a program has written once this stands in it, or once it has ended. */
function untilShown(child: ChildProcess, text: string): Promise<string> {
  let shown = '';
  return new Promise((resolve) => {
    const take = (chunk: Buffer) => {
      shown += chunk.toString('utf8');
      if (shown.includes(text)) resolve(shown);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('close', () => resolve(shown));
  });
}
