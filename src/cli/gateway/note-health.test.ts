import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { NO_NAMES } from '../../host/connection/named-endpoint.ts';
import { GatewayRuntime } from './gateway-runtime.ts';
import { noteHealth } from './note-health.ts';
import { serverItem } from './running-deps.ts';

let server: HttpFixture;
let runtime: GatewayRuntime;
let database: DatabaseSync;

beforeEach(async () => {
  server = await new HttpFixture(legacyHttp()).listen();
  const dir = await mkdtemp(join(tmpdir(), 'bindery-health-'));
  const servers = {
    well: { transport: 'http', url: server.url },
    'also-well': { transport: 'http', url: server.url },
    gone: { transport: 'http', url: 'http://127.0.0.1:1/' },
  };
  await writeFile(join(dir, 'config.json'), JSON.stringify({ mcp: { servers } }));
  runtime = new GatewayRuntime({
    registryFile: join(dir, 'registry.db'),
    ...{ dataDir: dir, configDir: dir, configFile: join(dir, 'config.json'), projectDir: dir },
    ...{ policyFile: undefined, trustProject: false, exposure: undefined, node: 'local', env: {}, version: '0' },
    ...{ clock: { now: Date.now }, random: { bytes: (length: number) => randomBytes(length) }, log: createMemoryLog() },
    ...{ names: NO_NAMES, builtins: [], probe: { intervalMs: 20, timeoutMs: 2000 } },
  });
  await runtime.start();
  database = new DatabaseSync(join(dir, 'registry.db'));
  const isWell = (id: string) => serverItem(runtime, id).last_health_check !== null;
  await until(() => isWell('well') && isWell('also-well') && runtime.offers().length === 2);
});

afterEach(async () => {
  database.close();
  await runtime.close();
  await server.close();
});

test('[wire:HEALTH] when a server was last well stands in its item and in the registry', () => {
  noteHealth(runtime);
  const { last_health_check } = serverItem(runtime, 'well');
  const running = { status: 'running', last_health_check: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect([rows(), serverItem(runtime, 'gone').last_health_check]).toEqual([
    [
      { name: 'also-well', ...running },
      { name: 'well', ...running },
    ],
    null,
  ]);
  expect(Date.parse(String(last_health_check))).toBeLessThanOrEqual(Date.now());
});

test('what is noted of all servers is one transaction: where one cannot be written, none is', () => {
  const ids = runtime.config.servers.map(({ configured }) => configured.id).filter((id) => id !== 'gone');
  database.exec(`UPDATE mcp_servers SET status = 'stopped', last_health_check = NULL;
    CREATE TRIGGER refuse BEFORE UPDATE ON mcp_servers WHEN NEW.name = '${ids.at(-1)}' BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  expect(() => noteHealth(runtime)).toThrow('no room');
  const untouched = rows();
  database.exec('DROP TRIGGER refuse');
  noteHealth(runtime);
  expect([untouched, rows().map(({ status }) => status)]).toEqual([
    [
      { name: 'also-well', status: 'stopped', last_health_check: null },
      { name: 'well', status: 'stopped', last_health_check: null },
    ],
    ['running', 'running'],
  ]);
});

function rows(): Record<string, unknown>[] {
  const sql = 'SELECT name, status, last_health_check FROM mcp_servers ORDER BY name';
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}
