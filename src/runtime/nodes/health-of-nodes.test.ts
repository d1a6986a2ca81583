import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { NO_NAMES } from '../../host/connection/supervision/named-endpoint.ts';
import { NodeTable } from '../../store/postgres/node-table.ts';
import { openDatabase } from '../../store/postgres/open-database.ts';
import { startPostgres, type TestPostgres } from '../../store/postgres/testing/start-postgres.ts';
import { serverItem } from '../admin/server-item.ts';
import { GatewayAssembly } from '../gateway-assembly.ts';
import { openSharedState } from './shared-state.ts';

const health = { status: 200, looks: 0 };
let server: HttpFixture;
let postgres: TestPostgres;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  server = await new HttpFixture(
    legacyHttp(
      ({ seen, json }) => {
        if (seen.path !== '/health') return false;
        health.looks += 1;
        json({}, health.status);
        return true;
      },
      { sessions: false },
    ),
  ).listen();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await postgres.stop();
  await server.close();
});

/** A node with this configuration; what it offers beside the API is not needed here. */
async function nodeOn(url: string, node: string, servers: object, intervalMs = 100): Promise<GatewayAssembly> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-nodes-'));
  await writeFile(join(dir, 'config.json'), JSON.stringify({ mcp: { servers } }));
  const log = createMemoryLog();
  const clock = { now: Date.now };
  const database = await openDatabase(url, log);
  const registryFile = join(dir, 'registry.db');
  const table = new NodeTable(database, { name: node, run: node, url: undefined });
  await table.join();
  const beats = setInterval(() => void table.beat(), 1_000);
  const shared = await openSharedState(database, { registryFile, node, clock, log });
  const runtime = new GatewayAssembly({
    ...{ registryFile, dataDir: dir, configDir: dir, configFile: join(dir, 'config.json'), projectDir: dir },
    ...{ policyFile: undefined, trustProject: false, exposure: undefined, node, env: {}, version: '0' },
    ...{ clock, random: { bytes: (length: number) => randomBytes(length) }, log, names: NO_NAMES, builtins: [] },
    ...{ probe: { intervalMs, timeoutMs: 2_000 }, shared },
  });
  await runtime.start();
  shared.follow(runtime);
  closing.push(async () => {
    clearInterval(beats);
    await runtime.close();
    await database.close();
  });
  return runtime;
}

test('[gateway:H1] nodes share a recent health check instead of repeating it', async () => {
  const url = await postgres.newDatabase();
  const servers = { s: { transport: 'http', url: server.url, health_check: '/health' } };
  const before = health.looks;
  const nodes = [];
  for (const name of ['a', 'b', 'c']) {
    const node = await nodeOn(url, name, servers, 30_000);
    await until(() => serverItem(node, 's').last_health_check !== null);
    nodes.push(node);
  }
  expect([health.looks - before, nodes.map((node) => serverItem(node, 's').state)]).toEqual([
    1,
    ['ready', 'ready', 'ready'],
  ]);
});

test('[gateway:H1] [gateway:H3] one node runs a health check, and all nodes show its result, connected or not', async () => {
  const url = await postgres.newDatabase();
  const servers = { s: { transport: 'http', url: server.url, health_check: '/health' } };
  const connected = server.of('initialize').length;
  const a = await nodeOn(url, 'a', servers);
  await until(() => a.servers.offers().length === 1 && serverItem(a, 's').last_health_check !== null);
  await a.shared?.registry.flush();
  // These know what the first one saw, and do not connect for it.
  const [b, c] = [await nodeOn(url, 'b', servers), await nodeOn(url, 'c', servers)];
  await until(() => [b, c].every((node) => serverItem(node, 's').last_health_check !== null));
  const nodes = [a, b, c];
  const all = (wanted: object) =>
    nodes.every((node) =>
      Object.entries(wanted).every(([key, value]) => serverItem(node, 's')[key as 'state'] === value),
    );
  expect(nodes.map((node) => serverItem(node, 's').connected)).toEqual([true, false, false]);
  health.status = 503;
  await until(() => all({ state: 'error', status: 'error', reason: 'the health check answered HTTP 503' }));
  health.status = 200;
  await until(() => all({ state: 'ready' }));
  // Once at first, and once more when the check first failed.
  expect(server.of('initialize').length - connected).toBe(2);
});

test('[gateway:H2] a server that one node cannot reach is in error at those that rest, and back when it is', async () => {
  const url = await postgres.newDatabase();
  const own = await new HttpFixture(legacyHttp()).listen();
  const { origin } = own;
  const servers = { s: { transport: 'http', url: own.url } };
  const a = await nodeOn(url, 'a', servers);
  await until(() => a.servers.offers().length === 1);
  await a.shared?.registry.flush();
  const b = await nodeOn(url, 'b', servers);
  await until(() => serverItem(b, 's').reason === 'idle');
  await own.close();
  await until(() => serverItem(a, 's').state === 'error' && serverItem(b, 's').state === 'error');
  expect([serverItem(b, 's').reason, serverItem(b, 's').connected]).toEqual([
    expect.stringMatching(/ \(seen by node a\)$/),
    false,
  ]);
  const back = await new HttpFixture(legacyHttp()).listen(Number(new URL(origin).port));
  closing.push(() => back.close());
  await until(() => serverItem(a, 's').state === 'ready' && serverItem(b, 's').state === 'ready');
  expect(serverItem(b, 's')).toMatchObject({ reason: 'idle', connected: false, status: 'stopped' });
});
