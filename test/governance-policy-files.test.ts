import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSession, type RpcAnswer } from './support/raw-client.ts';
import { recordedHttp } from './support/recorded-http.ts';
import {
  type BinderyHome,
  commandLine,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from './support/running-bindery.ts';

let home: BinderyHome;
let policy: string;
let server: Awaited<ReturnType<typeof recordedHttp>>;
const running: RunningBindery[] = [];
beforeEach(async () => {
  server = await recordedHttp();
  home = await createHome(config({}));
  policy = join(home.cwd, 'project_mcp.json');
});
afterEach(async () => {
  for (const bindery of running.splice(0)) await bindery.stop('SIGKILL');
  await server.close();
  await home.remove();
});

const config = (gateway: object) => ({
  version: 1,
  mcp: { servers: { web: { transport: 'http', url: server.url } } },
  gateway: { exposure: 'all', ...gateway },
});
const CLOSED = JSON.stringify({ allowlist: { servers: ['web'], forbidden: ['web/write'] } });

async function up(...flags: string[]): Promise<RunningBindery> {
  const bindery = await startBindery(home, ...flags);
  running.push(bindery);
  await untilKnown(bindery, 'web');
  return bindery;
}

/** Runs a command line to its end, in the folder of the project. */
async function run(...argv: string[]) {
  const child = spawn(process.execPath, commandLine(...argv), { cwd: home.cwd, env: home.env, timeout: 60_000 });
  child.stdin.end();
  const texts = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [[status], stdout = '', stderr = ''] = await Promise.all([once(child, 'close'), ...texts]);
  return { status: status as number, stdout, stderr };
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

const get = async <T>(bindery: RunningBindery, path: string) =>
  (await (await fetch(`${bindery.url}${path}`)).json()) as T;
const statusOf = async (bindery: RunningBindery) => (await get<Layers>(bindery, '/v1/policy')).layers[0]?.status;
const logged = (bindery: RunningBindery) =>
  bindery
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"policy: '))
    .map((line) => JSON.parse(line) as { level: string; message: string; status?: string });

test('a named policy file that is missing or unreadable refuses every command that takes one [gateway:P1]', async () => {
  const commands = [['up', '--port', '0'], ['stdio'], ['policy', 'check', 'web', 'echo'], ['policy', 'lint']];
  const missing = await Promise.all(commands.map((argv) => run(...argv, '--policy', 'missing.json')));
  const folder = await run('up', '--port', '0', '--policy', '.');
  for (const { status, stdout, stderr } of [...missing, folder]) {
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('(POLICY_FILE_UNREADABLE)\nnext: Check the path after --policy');
  }
  expect(missing[0]?.stderr).toContain(`${join(home.cwd, 'missing.json')}: there is no such file`);
  expect(folder.stderr).toContain(`${home.cwd}: the file cannot be read: it is a folder`);
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
    checked: [checked.status, JSON.parse(checked.stdout)],
    unnamed: JSON.parse(unnamed.stdout),
    linted: [linted.status, JSON.parse(linted.stdout).ok],
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
  expect((await run('policy', 'check', 'web', 'write', '--policy', policy)).status).toBe(1);
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
  expect((await run('stdio')).stderr).toContain('No policy file: every tool may be called.\n');
  writeFileSync(policy, '{"allowlist": {"servers": ["web"],\n"tolls": {}}}');
  expect((await run('stdio')).stderr).toContain(
    `Policy (project, ${policy}): its file has errors or cannot be read; every call is denied\n  error line 2: tolls is not a key of allowlist\n`,
  );
});

test('the absence of a project’s policy is accepted by a person’s word, at every worker [gateway:P8] [gateway:R3]', async () => {
  writeFileSync(policy, CLOSED);
  const bindery = await up('--workers', '2');
  const codes = async () => new Set(await Promise.all(Array.from({ length: 12 }, () => codeOf(bindery, 'write'))));
  rmSync(policy);
  await until('the gateway noticed', async () => (await statusOf(bindery)) === 'vanished');
  const vanished = await codes();
  const reloaded = await run('policy', 'reload');
  await until('every worker accepted it', async () => !(await codes()).has('POLICY_DENIED'));
  expect([[...vanished], reloaded.status, reloaded.stdout]).toEqual([
    ['POLICY_DENIED'],
    0,
    'no policy: every tool may be called\n',
  ]);
  expect((await run('policy', 'check', 'web', 'write')).status).toBe(0);
});

test('a config that vanishes or is emptied keeps the policies of its profiles, also for the check [gateway:P8] [gateway:M8]', async () => {
  const file = join(home.dir, '.bindery', 'config.json');
  const profiles = { default: { policy: { servers: ['web'], forbidden: ['write'] } } };
  for (const lose of [() => rmSync(file), () => writeFileSync(file, '')]) {
    await home.writeConfig(config({ profiles }));
    const bindery = await up();
    lose();
    await until('the gateway noticed', async () => (await statusOf(bindery)) === 'vanished');
    const byGateway = await bindery.api('POST', '/v1/policy/check', { server: 'web', tool: 'write' });
    const { loaded_at: _, ...degraded } = (byGateway.body as { degraded: { loaded_at: string }[] }).degraded[0] ?? {};
    const checked = await run('policy', 'check', 'web', 'write', '--json');
    expect([await codeOf(bindery, 'write'), checked.status, JSON.parse(checked.stdout)]).toMatchObject([
      'POLICY_DENIED',
      10,
      { rule: 'forbidden', layer: 'profile', degraded: [degraded] },
    ]);
    expect(await get(bindery, '/readyz')).toEqual({
      ready: true,
      warnings: ['profile policy: its file is gone; the last good version stays in force'],
    });
    await bindery.api('POST', '/v1/policy/reload', {});
    expect(await get(bindery, '/v1/policy')).toEqual({ open: true, layers: [] });
    await bindery.stop();
  }
});

test('a config that is broken at the start denies by what its profiles last said, or denies everything [gateway:P3] [gateway:P8]', async () => {
  const file = join(home.cwd, '.bindery', 'config.json');
  mkdirSync(join(home.cwd, '.bindery'));
  const profiles = { default: { policy: { servers: ['web'], forbidden: ['write'] } } };
  writeFileSync(file, JSON.stringify({ version: 1, gateway: { profiles } }));
  await (await up()).stop();
  writeFileSync(file, '{"gateway": {');
  const again = await up();
  expect([await codeOf(again, 'write'), await codeOf(again, 'echo'), await statusOf(again)]).toEqual([
    'POLICY_DENIED',
    undefined,
    'bad',
  ]);
  await again.stop();
  rmSync(join(home.dataDir, 'registry.db'));
  const fresh = await up();
  expect([await codeOf(fresh, 'write'), await codeOf(fresh, 'echo'), await statusOf(fresh)]).toEqual([
    'POLICY_DENIED',
    'POLICY_DENIED',
    'bad',
  ]);
});
