import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import { recordedHttp } from '../support/recorded-http.ts';
import { commandLine, type RunningBindery, startBindery, until, untilKnown } from '../support/running-bindery.ts';

let home: ReturnType<typeof openCommandHome>;
let policy: string;
let server: Awaited<ReturnType<typeof recordedHttp>>;
const running: RunningBindery[] = [];
beforeEach(async () => {
  server = await recordedHttp();
  home = openCommandHome();
  writeConfig({});
  policy = join(home.home, 'project_mcp.json');
});
afterEach(async () => {
  for (const bindery of running.splice(0)) await bindery.stop('SIGKILL');
  await server.close();
  rmSync(home.home, { recursive: true, force: true, maxRetries: 5 });
});

const writeConfig = (gateway: object) => {
  const servers = { web: { transport: 'http', url: server.url } };
  const config = { version: 1, mcp: { servers }, gateway: { exposure: 'all', ...gateway } };
  return home.write('.bindery/config.json', JSON.stringify(config));
};
const CLOSED = JSON.stringify({ allowlist: { servers: ['web'], forbidden: ['web/write'] } });

async function up(...flags: string[]): Promise<RunningBindery> {
  const bindery = await startBindery(home, ...flags);
  running.push(bindery);
  await untilKnown(bindery, 'web');
  return bindery;
}

/** Runs a command line in the folder of the project, in this process. */
const run = (...argv: string[]) => home.run(...argv, '--cwd', home.home);

/** Runs `bindery stdio` to its end, for a client that says nothing. */
async function stdio(...flags: string[]) {
  const child = spawn(process.execPath, commandLine('stdio', ...flags), { cwd: home.home, env: home.env });
  child.stdin.end();
  const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [[exitCode], stdout = '', stderr = ''] = await Promise.all([once(child, 'close'), ...texts]);
  return { exitCode: exitCode as number, stdout, stderr };
}

async function codeOf(bindery: RunningBindery, tool: string): Promise<unknown> {
  const session = await openSession(bindery.mcpUrl);
  return codeIn(await session.request('tools/call', { name: `web__${tool}`, arguments: {} }));
}

function codeIn({ result }: RpcAnswer): unknown {
  return (result as { _meta?: { 'bindery/error'?: { code: string } } })._meta?.['bindery/error']?.code;
}

interface Layers {
  readonly layers: readonly { readonly status: string }[];
}

const get = async ({ url }: RunningBindery, path: string) => (await fetch(`${url}${path}`)).json();
const statusOf = async ({ url }: RunningBindery) => {
  const answer = await fetch(`${url}/v1/policy`);
  return answer.ok ? ((await answer.json()) as Layers).layers[0]?.status : undefined;
};
const logged = (bindery: RunningBindery) =>
  bindery
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"policy: '))
    .map((line) => JSON.parse(line) as { level: string; message: string; status?: string });

test('a named policy file that is missing or unreadable refuses every command that takes one [gateway:P1]', async () => {
  const named = ['--policy', 'missing.json'];
  const missing = [
    await run('up', '--port', '0', ...named),
    await stdio(...named),
    await run('policy', 'check', 'web', 'echo', ...named),
    await run('policy', 'lint', ...named),
  ];
  const folder = await run('up', '--port', '0', '--policy', '.');
  for (const { exitCode, stdout, stderr } of [...missing, folder]) {
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('(POLICY_FILE_UNREADABLE)\nnext: Check the path after --policy');
  }
  expect(missing[0]?.stderr).toContain(`${join(home.home, 'missing.json')}: there is no such file`);
  expect(folder.stderr).toContain(`${home.home}: the file cannot be read: it is a folder`);
  expect(server.called()).toEqual([]);
});

test('a policy file that vanishes keeps deciding, and everything that tells of policy says so alike [gateway:P8] [gateway:P9] [gateway:D6]', async () => {
  writeFileSync(policy, CLOSED);
  const bindery = await up('--policy', policy);
  const before = [await codeOf(bindery, 'write'), await get(bindery, '/readyz')];
  rmSync(policy);
  await until('the gateway noticed', async () => (await statusOf(bindery)) === 'vanished');
  const checked = await run('policy', 'check', 'web', 'write', '--policy', policy, '--json');
  const unnamed = await run('policy', 'check', 'web', 'write', '--json');
  const text = await run('policy', 'check', 'web', 'write');
  const linted = await run('policy', 'lint', '--policy', policy, '--json');
  const byGateway = await bindery.api('POST', '/v1/policy/check', { server: 'web', tool: 'write' });
  expect({
    before,
    after: [await codeOf(bindery, 'write'), await codeOf(bindery, 'echo')],
    readyz: await get(bindery, '/readyz'),
    checked: [checked.exitCode, JSON.parse(checked.stdout)],
    unnamed: JSON.parse(unnamed.stdout),
    linted: [linted.exitCode, JSON.parse(linted.stdout).ok],
  }).toEqual({
    before: ['POLICY_DENIED', { ready: true }],
    after: ['POLICY_DENIED', undefined],
    readyz: { ready: true, warnings: ['file policy: its file is gone; the last good version stays in force'] },
    checked: [10, byGateway.body],
    unnamed: byGateway.body,
    linted: [1, false],
  });
  expect(byGateway.body).toMatchObject({ rule: 'forbidden', file: policy, degraded: [{ status: 'vanished' }] });
  expect(text.stdout).toMatch(
    /^deny web\/write: forbidden \(.*\nnote: .*project_mcp\.json is gone; its version of .* decides/,
  );
  expect(logged(bindery).map(({ level, status }) => [level, status])).toEqual([
    ['info', 'ok'],
    ['warn', 'vanished'],
  ]);
  const refused = await bindery.api('POST', '/v1/policy/reload', {});
  expect([refused.status, await codeOf(bindery, 'write')]).toEqual([409, 'POLICY_DENIED']);
  await bindery.stop();
  expect((await run('policy', 'check', 'web', 'write', '--policy', policy)).exitCode).toBe(1);
  expect(server.called()).toEqual(['echo']);
});

test('a policy that turns bad and good again is told at each change, with its errors [gateway:P8]', async () => {
  const bindery = await up();
  expect(logged(bindery)).toEqual([]);
  const steps = [CLOSED, '{"allowlist": {', CLOSED, '{"allowlist": {"servers": ["web"]}}'];
  for (const [step, text] of steps.entries()) {
    writeFileSync(policy, text);
    await until('the change is told', () => logged(bindery).length === step + 1);
  }
  expect(logged(bindery)).toMatchObject([
    { level: 'warn', status: 'ok', layer: 'project', file: policy, errors: [] },
    { level: 'warn', status: 'bad', errors: [{ line: 1, message: expect.stringContaining('not JSON') }] },
    { level: 'warn', status: 'ok' },
    { level: 'warn', status: 'ok' },
  ]);
});

test('a person who starts a gateway reads the state of policy, with its errors', async () => {
  // Clients take what a server writes there for its errors: without a policy there is nothing to say.
  expect((await stdio()).stderr).toBe('');
  writeFileSync(policy, '{"allowlist": {"servers": ["web"],\n"tolls": {}}}');
  expect((await stdio()).stderr).toContain(
    `Policy (project, ${policy}): its file has errors or cannot be read; every call is denied\n  error line 2: tolls is not a key of allowlist. Did you mean tools?\n`,
  );
});

test('the absence of a project’s policy is accepted by a person’s word, at every worker [gateway:P8] [gateway:R3]', async () => {
  writeFileSync(policy, CLOSED);
  const bindery = await up('--workers', '2');
  // A worker that finds the primary's connection closed asks to come again.
  const codeAgain = (): Promise<unknown> => codeOf(bindery, 'write').catch(codeAgain);
  const codes = async () => new Set(await Promise.all(Array.from({ length: 12 }, codeAgain)));
  rmSync(policy);
  await until('the gateway noticed', async () => (await statusOf(bindery)) === 'vanished');
  const vanished = await codes();
  const reloaded = await run('policy', 'reload');
  await until('every worker accepted it', async () => !(await codes()).has('POLICY_DENIED'));
  expect([[...vanished], reloaded.exitCode, reloaded.stdout]).toEqual([
    ['POLICY_DENIED'],
    0,
    'no policy: every tool may be called\n',
  ]);
  expect((await run('policy', 'check', 'web', 'write')).exitCode).toBe(0);
});

test('a config that vanishes or is emptied keeps the policies of its profiles, also for the check [gateway:P8] [gateway:M8]', async () => {
  const file = join(home.dataDir, 'config.json');
  const profiles = { default: { policy: { servers: ['web'], forbidden: ['write'] } } };
  const losses = [
    {
      status: 'bad',
      lose: () => writeFileSync(file, ''),
      warning: /^profile policy: .*last good version/,
      isOpened: false,
    },
    {
      status: 'vanished',
      lose: () => rmSync(file),
      warning: /^profile policy: its file is gone; the last/,
      isOpened: true,
    },
  ];
  for (const { status, lose, warning, isOpened } of losses) {
    writeConfig({ profiles });
    const bindery = await up();
    lose();
    await until('the gateway noticed', async () => (await statusOf(bindery)) === status);
    const byGateway = await bindery.api('POST', '/v1/policy/check', { server: 'web', tool: 'write' });
    const { loaded_at: _, ...degraded } = (byGateway.body as { degraded: { loaded_at: string }[] }).degraded[0] ?? {};
    const checked = await run('policy', 'check', 'web', 'write', '--json');
    expect([await codeOf(bindery, 'write'), checked.exitCode, JSON.parse(checked.stdout)]).toMatchObject([
      'POLICY_DENIED',
      10,
      { rule: 'forbidden', layer: 'profile', degraded: [degraded] },
    ]);
    expect(await get(bindery, '/readyz')).toEqual({
      ready: true,
      warnings: expect.arrayContaining([expect.stringMatching(warning)]),
    });
    // A person can accept that the file is gone; an empty one is an error, which nobody accepts.
    await bindery.api('POST', '/v1/policy/reload', {});
    expect(await get(bindery, '/v1/policy')).toMatchObject({ open: isOpened });
    await bindery.stop();
  }
});

test('a config that is broken at the start denies by what its profiles last said, or denies everything [gateway:P3] [gateway:P8]', async () => {
  const project = join(home.home, 'project');
  const file = home.write('project/.bindery/config.json', '');
  const profiles = { default: { policy: { servers: ['web'], forbidden: ['write'] } } };
  writeFileSync(file, JSON.stringify({ version: 1, gateway: { profiles } }));
  await (await up('--cwd', project)).stop();
  writeFileSync(file, '{"gateway": {');
  const again = await up('--cwd', project);
  expect([await codeOf(again, 'write'), await codeOf(again, 'echo'), await statusOf(again)]).toEqual([
    'POLICY_DENIED',
    undefined,
    'bad',
  ]);
  await again.stop();
  rmSync(join(home.dataDir, 'registry.db'));
  const fresh = await up('--cwd', project);
  expect([await codeOf(fresh, 'write'), await codeOf(fresh, 'echo'), await statusOf(fresh)]).toEqual([
    'POLICY_DENIED',
    'POLICY_DENIED',
    'bad',
  ]);
});
