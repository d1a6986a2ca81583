import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { callTool } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { listServers, type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

const REASON = 'the health check answered HTTP 503';
let server: HttpFixture;
let home: ReturnType<typeof openCommandHome>;
let bindery: RunningBindery;

beforeAll(async () => {
  server = await new HttpFixture(
    legacyHttp(({ seen, json }) => {
      if (seen.path !== '/health') return false;
      json({}, 503);
      return true;
    }),
  ).listen();
  home = openCommandHome();
  const ill = { transport: 'http', url: server.url, health_check: '/health', required: true };
  const well = { transport: 'http', url: server.url, required: true };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers: { ill, well } } }));
  bindery = await startBindery(home);
  await until('it is known to be ill', async () =>
    (await listServers(bindery)).some(({ id, state, connected }) => id === 'ill' && state === 'error' && connected),
  );
});
afterAll(async () => {
  await bindery.stop();
  await server.close();
});

test('a server whose health check fails is in error wherever somebody looks, and its calls go on [gateway:H3] [gateway:D1] [gateway:D6] [gateway:B2]', async () => {
  const items = await listServers(bindery);
  expect(items.filter(({ source }) => source === 'global')).toMatchObject([
    { id: 'ill', state: 'error', status: 'error', reason: REASON, last_error: REASON, connected: true, tools: 1 },
    { id: 'well', state: 'ready', status: 'running', reason: null, connected: true, tools: 1 },
  ]);
  const status = await home.json('mcp', 'status', 'ill');
  const ready = await fetch(`${bindery.url}/readyz`);
  const metrics = await (await fetch(`${bindery.url}/metrics`)).text();
  expect([status.items[0], ready.status, await ready.json()]).toMatchObject([
    { id: 'ill', state: 'error', reason: REASON },
    503,
    { ready: false, reasons: ['1 required servers are not ready'] },
  ]);
  expect(metrics).toMatch(/^bindery_server_status\{server="ill"\} 2$/m);
  expect(metrics).toMatch(/^bindery_server_status\{server="well"\} 1$/m);
  const { result } = await callTool(bindery.url, 'ill__echo', { text: 'x' });
  expect([result.isError ?? false, (await bindery.api('GET', '/v1/servers/ill')).body]).toMatchObject([
    false,
    { state: 'error', breaker: { state: 'closed', failures: 0 } },
  ]);
  const rows = () => {
    const database = new DatabaseSync(`${home.dataDir}/registry.db`, { readOnly: true });
    const found = database.prepare('SELECT name, status FROM mcp_servers ORDER BY name').all();
    database.close();
    return found.map(({ name, status: now }) => `${name} ${now}`);
  };
  await until('the registry says so', () => rows().includes('ill error'));
  expect(rows()).toEqual(['ill error', 'well running']);
});
