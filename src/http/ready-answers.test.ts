import { expect, test } from 'vitest';
import { z } from 'zod';
import { defaultFailures } from '../contract/execute.ts';
import { bindRoom, defineOperation, READ_ONLY } from '../contract/operation.ts';
import { createHttpApp } from './app.ts';
import { targetOf } from './ready-answers.ts';

interface Deps {
  basis: object;
  runs: number;
}

const read = defineOperation({
  id: 'example.read',
  summary: 'Read.',
  input: z.strictObject({ x: z.string().optional() }),
  output: z.object({ runs: z.number() }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/read', basis: (deps: Deps) => deps.basis, etag: (output) => `"${output.runs}"` },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: (_input, deps: Deps) => {
    deps.runs += 1;
    return { runs: deps.runs };
  },
});

function createApp() {
  const deps: Deps = { basis: {}, runs: 0 };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const app = createHttpApp({
    rooms: [bindRoom({ name: 'example', summary: '', operations: [read] }, deps)],
    version: '0',
    log,
    newRequestId: () => 'id',
    acceptsHost: (host, origin) => host === 'ours' && origin === undefined,
  });
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await app.request(path, { method, headers: { host: 'ours', ...headers } });
    return [response.status, await response.text(), response.headers.get('etag')];
  };
  return { deps, get };
}

test('an equal request is answered from memory until its basis changes', async () => {
  const { deps, get } = createApp();
  const first = await get('/v1/read');
  const again = await get('/v1/read');
  const other = await get('/v1/read?x=1');
  deps.basis = {};
  expect([first, again, other, await get('/v1/read')]).toEqual([
    [200, '{"runs":1}', '"1"'],
    [200, '{"runs":1}', '"1"'],
    [200, '{"runs":2}', '"2"'],
    [200, '{"runs":3}', '"3"'],
  ]);
});

test('memory answers neither other hosts and origins, nor conditions, nor bad input', async () => {
  const { get } = createApp();
  await get('/v1/read');
  expect([
    (await get('/v1/read', { host: 'theirs' }))[0],
    (await get('/v1/read', { origin: 'https://theirs.example' }))[0],
    (await get('/v1/read', { 'if-none-match': '*' }))[0],
    (await get('/v1/read?y=1'))[0],
    (await get('/v1/read?y=1'))[0],
    (await get('/v1/read', {}, 'DELETE'))[0],
  ]).toEqual([403, 403, 304, 400, 400, 405]);
});

test('the target of a request is its path and query as sent', () => {
  expect(['http://a', 'http://a/', 'http://a:1/b?c=d', 'https://a/b/?c=/e'].map(targetOf)).toEqual([
    '/',
    '/',
    '/b?c=d',
    '/b/?c=/e',
  ]);
});
