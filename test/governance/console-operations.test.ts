import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

const POLICY = JSON.stringify({ allowlist: { servers: ['s'], tools: { s: ['echo'] } } });
let fixture: RunningFixture;
let home: BinderyHome;
let bindery: RunningBindery;
let file: string;
beforeAll(async () => {
  fixture = await startModernFixture();
  home = await createHome({
    version: 1,
    mcp: {
      servers: {
        s: { transport: 'http', url: fixture.url },
        absent: { transport: 'stdio', command: '/no/such/program' },
      },
    },
  });
  file = join(home.cwd, 'project_mcp.json');
  writeFileSync(file, POLICY);
  bindery = await startBindery(home);
  await untilKnown(bindery, 's');
});
afterAll(async () => {
  await bindery.stop();
  await fixture.close();
  await home.remove();
});

const ask = async (method: string, path: string, body?: object, authorization?: string) => {
  const answer = await bindery.api(method, path, body, authorization);
  return { status: answer.status, body: answer.body as Record<string, unknown> };
};
const sourceOf = async () => {
  const { body } = await ask('GET', '/v1/policy/source');
  return (body.files as { file: string; text: string | null; sha256: string | null }[]).find(
    (one) => one.file === file,
  );
};

test('a tool that is called through the API goes through policy and audit', async () => {
  const called = await ask('POST', '/v1/tools/s__echo/call', { arguments: { text: 'hello' } });
  const denied = await ask('POST', '/v1/tools/s__fail/call', { arguments: {} });
  expect([called.status, JSON.stringify(called.body).includes('hello'), JSON.stringify(denied.body)]).toEqual([
    200,
    true,
    expect.stringContaining('POLICY_DENIED'),
  ]);
  const { body } = await ask('GET', '/v1/audit/summary?since=15m&buckets=3');
  expect(body).toMatchObject({ total: { calls: 2, ok: 1, denied: 1 }, buckets: { length: 3 } });
  expect((await ask('POST', '/v1/tools/s__echo/call', { arguments: {} }, '')).status).toBe(401);
  const whole = (query: string) => ask('GET', `/v1/audit/summary?since=beginning&buckets=2&${query}`);
  const first = (await ask('GET', '/v1/audit?kind=call')).body.items as { time: string }[];
  expect([(await whole('')).body, (await whole('q=hello')).body, (await whole('q=nowhere')).body]).toMatchObject([
    { since: first.at(-1)?.time, total: { calls: 2 } },
    { since: first.at(-1)?.time, total: { calls: 1, ok: 1 } },
    { total: { calls: 0 } },
  ]);
});

test('a call through the API is recorded as that of the credential, whatever the request says beside it', async () => {
  const created = await ask('POST', '/v1/keys', { name: 'caller', scope: 'admin' });
  const { key, id } = created.body as { key: string; id: string };
  const headers = { 'x-caller': 'ada', 'bindery-caller': 'ada', 'content-type': 'application/json' };
  const send = (authorization: string) =>
    fetch(`${bindery.url}/v1/tools/s__echo/call`, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: JSON.stringify({ arguments: { text: 'who' } }),
    });
  expect([(await send(`Bearer ${bindery.admin()}`)).status, (await send(`Bearer ${key}`)).status]).toEqual([200, 200]);
  const { body } = await ask('GET', '/v1/audit?kind=call&limit=2');
  const items = body.items as { caller: string; client: { name: string } }[];
  expect(items.map(({ caller, client }) => [caller, client.name])).toEqual([
    [`key:${id}`, 'bindery-console'],
    ['admin', 'bindery-console'],
  ]);
});

test('a server that is configured and cannot start is no unknown name in a policy', async () => {
  const text = JSON.stringify({ allowlist: { servers: ['s', 'absent', 'nobody'], tools: { s: ['echo'] } } });
  const { body } = await ask('POST', '/v1/policy/preview', { file, text });
  const messages = (body.findings as { code: string; message: string }[])
    .filter(({ code }) => code === 'unknown_server')
    .map(({ message }) => message);
  expect(messages).toEqual([expect.stringContaining('nobody')]);
});

test('a policy is previewed, refused where it is bad or was changed by another, and saved in force', async () => {
  const source = await sourceOf();
  const text = POLICY.replace('["echo"]', '["echo","fail"]');
  const preview = await ask('POST', '/v1/policy/preview', { file, text });
  expect(preview.body).toMatchObject({
    ok: true,
    changes: [{ server: 's', tool: 'fail', before: 'deny', after: 'allow' }],
  });
  const save = (given: object) => ask('PUT', '/v1/policy/source', { file, text, ...given });
  expect([
    (await save({ text: '{', base_sha256: source?.sha256 })).body.code,
    (await save({ base_sha256: 'another' })).body.code,
    (await save({ file: '/etc/passwd', base_sha256: source?.sha256 })).status,
    readFileSync(file, 'utf8'),
  ]).toEqual(['POLICY_INVALID', 'POLICY_CHANGED', 400, POLICY]);
  const saved = await save({ base_sha256: source?.sha256 });
  expect([saved.status, readFileSync(file, 'utf8'), readFileSync(String(saved.body.backup), 'utf8')]).toEqual([
    200,
    text,
    POLICY,
  ]);
  expect((await ask('POST', '/v1/policy/check', { server: 's', tool: 'fail' })).body.decision).toBe('allow');
});

test('a key with every scope makes no other key, adds no command and writes no policy', async () => {
  const made = await ask('POST', '/v1/keys', { name: 'all', scope: 'call,read,register,admin' });
  const key = `Bearer ${made.body.key}`;
  const source = await sourceOf();
  const entry = { transport: 'stdio', command: 'true' };
  const tried = [
    await ask('POST', '/v1/keys', { name: 'another' }, key),
    await ask('DELETE', `/v1/keys/${made.body.id}`, undefined, key),
    await ask('POST', '/v1/config/servers', { id: 'mine', entry }, key),
    await ask('DELETE', '/v1/config/servers/s', undefined, key),
    await ask('PUT', '/v1/policy/source', { file, text: source?.text ?? '', base_sha256: source?.sha256 }, key),
  ];
  expect(tried.map(({ body }) => body.code)).toEqual(Array(5).fill('ADMIN_REQUIRED'));
  expect((await ask('DELETE', `/v1/keys/${made.body.id}`)).status).toBe(200);
  expect((await ask('GET', '/v1/session', undefined, key)).status).toBe(401);
});

const linesOf = async (path: string, body: object) => {
  const response = await fetch(`${bindery.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bindery.admin()}` },
    body: JSON.stringify(body),
  });
  const lines = (await response.text()).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
};

test('an entry is tried step by step, and is in no config afterwards', async () => {
  const entry = { transport: 'http', url: fixture.url };
  const lines = await linesOf('/v1/config/servers/test', { id: 'tried', entry });
  const steps = lines.flatMap(({ step }) => (step ? [`${step.name} ${step.state}`] : []));
  expect(steps).toEqual([
    'connect running',
    'connect done',
    'initialize running',
    'initialize done',
    'list running',
    'list done',
  ]);
  expect(lines.at(-1)?.result).toMatchObject({ ok: true, tools: 3, error: null, stderr: null });
  expect((await ask('GET', '/v1/servers/tried')).status).toBe(404);
  expect((await ask('POST', '/v1/config/servers/test', { id: 's', entry })).body.code).toBe('SERVER_EXISTS');
});

test('a program that ends says what it wrote, and an entry that is none is refused', async () => {
  const script = 'console.error("no licence"); process.exit(3)';
  const entry = { transport: 'stdio', command: process.execPath, args: ['-e', script] };
  const ended = await linesOf('/v1/config/servers/test', { id: 'ended', entry });
  expect(ended.at(-1)?.result).toMatchObject({ ok: false, tools: null, stderr: expect.stringContaining('no licence') });
  // Nothing of a test stays: neither an entry nor a folder.
  expect(existsSync(join(home.dataDir, 'servers', 'ended'))).toBe(false);
  const bad = await linesOf('/v1/config/servers/test', { id: 'bad', entry: { transport: 'stdio' } });
  expect(bad).toEqual([{ problem: expect.objectContaining({ code: 'SERVER_INVALID' }) }]);
});

test('a server tells which states it came into, and the gateway its nodes, settings and findings', async () => {
  const { body: server } = await ask('GET', '/v1/servers/s');
  expect((server.history as { state: string }[]).at(-1)?.state).toBe('ready');
  const { body: nodes } = await ask('GET', '/v1/nodes');
  expect(nodes).toMatchObject({ total: 1, items: [{ name: 'local', present: true, self: true }] });
  const { body: settings } = await ask('GET', '/v1/config/settings?key=mcp.servers.s.url');
  expect(settings.settings).toMatchObject([{ key: 'mcp.servers.s.url', source: 'person' }]);
  const { body: doctor } = await ask('GET', '/v1/doctor');
  expect((doctor.findings as { check: string }[]).map(({ check }) => check)).toContain('servers');
});

test('a server is added to the config of the person, and removed again', async () => {
  const entry = { transport: 'http', url: fixture.url };
  const added = await ask('POST', '/v1/config/servers', { id: 'more', entry });
  expect([added.status, added.body.source]).toEqual([201, 'global']);
  expect((await ask('POST', '/v1/config/servers', { id: 'more', entry })).body.code).toBe('SERVER_EXISTS');
  expect((await ask('POST', '/v1/config/servers', { id: 'bad', entry: { transport: 'stdio' } })).body.code).toBe(
    'SERVER_INVALID',
  );
  expect((await ask('DELETE', '/v1/config/servers/more')).status).toBe(200);
  expect((await ask('GET', '/v1/servers/more')).status).toBe(404);
});
