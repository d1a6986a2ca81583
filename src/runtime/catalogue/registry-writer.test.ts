import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { NO_NAMES } from '../../host/connection/supervision/named-endpoint.ts';
import { serverItem } from '../admin/server-item.ts';
import { GatewayAssembly } from '../gateway-assembly.ts';
import { RegistryWriter } from './registry-writer.ts';

const health = { status: 200 };
let dir: string;
let server: HttpFixture;
let runtime: GatewayAssembly;
let database: DatabaseSync;
let isClosed = false;

beforeEach(async () => {
  health.status = 200;
  isClosed = false;
  server = await new HttpFixture(
    legacyHttp(({ seen, json }) => {
      if (seen.path !== '/health') return false;
      json({}, health.status);
      return true;
    }),
  ).listen();
  dir = await mkdtemp(join(tmpdir(), 'bindery-writer-'));
  await configure({
    well: { transport: 'http', url: server.url },
    checked: { transport: 'http', url: server.url, health_check: '/health', required: true },
    gone: { transport: 'http', url: 'http://127.0.0.1:1/' },
  });
  runtime = new GatewayAssembly({
    registryFile: join(dir, 'registry.db'),
    ...{ dataDir: dir, configDir: dir, configFile: join(dir, 'config.json'), projectDir: dir },
    ...{ policyFile: undefined, trustProject: false, exposure: undefined, node: 'local', env: {}, version: '0' },
    ...{ clock: { now: Date.now }, random: { bytes: (length: number) => randomBytes(length) }, log: createMemoryLog() },
    ...{ names: NO_NAMES, builtins: [], probe: { intervalMs: 20, timeoutMs: 2000 } },
  });
  await runtime.start();
  database = new DatabaseSync(join(dir, 'registry.db'));
  const isWell = (id: string) => serverItem(runtime, id).last_health_check !== null;
  await until(() => isWell('well') && isWell('checked') && runtime.servers.offers().length === 2);
});

afterEach(async () => {
  database.close();
  if (!isClosed) await runtime.close();
  await server.close();
});

const configure = (servers: object) => writeFile(join(dir, 'config.json'), JSON.stringify({ mcp: { servers } }));
const writerOf = (of: GatewayAssembly) =>
  new RegistryWriter(of, { isOwner: true, log: createMemoryLog(), now: Date.now });
const statuses = () => Object.fromEntries(rows('name, status').map(({ name, status }) => [name, status]));

function rows(columns: string, table = 'mcp_servers'): Record<string, unknown>[] {
  return database
    .prepare(`SELECT ${columns} FROM ${table} ORDER BY 1`)
    .all()
    .map((row) => ({ ...row }));
}

test('[wire:HEALTH] [gateway:H3] the registry has a row for every server, with its status and when it was last checked', async () => {
  await until(() => serverItem(runtime, 'gone').state === 'error');
  writerOf(runtime).keep();
  const checked = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(rows('name, status, last_health_check, transport')).toEqual([
    { name: 'checked', status: 'running', last_health_check: checked, transport: 'http' },
    { name: 'gone', status: 'error', last_health_check: null, transport: 'http' },
    { name: 'well', status: 'running', last_health_check: checked, transport: 'http' },
  ]);
});

test('[wire:HEALTH] [gateway:H3] a failed health check is an error in item and registry while the server is connected, and back when it is well', async () => {
  await until(() => statuses().checked === 'running');
  health.status = 503;
  await until(() => statuses().checked === 'error');
  const reason = 'the health check answered HTTP 503';
  await until(() => serverItem(runtime, 'checked').connected && serverItem(runtime, 'checked').state === 'error');
  expect([serverItem(runtime, 'checked'), runtime.limiters.of('checked').breaker()]).toMatchObject([
    { state: 'error', status: 'error', reason, last_error: reason, tools: 1 },
    { state: 'closed', failures: 0 },
  ]);
  health.status = 200;
  await until(() => statuses().checked === 'running');
  expect(serverItem(runtime, 'checked')).toMatchObject({ state: 'ready', status: 'running', reason: null });
});

test('servers that are disabled or removed do not stay running, and their tools are offered no more, until they are back', async () => {
  const url = server.url;
  await until(() => statuses().gone === 'error');
  await configure({ well: { transport: 'http', url, enabled: false } });
  await runtime.refresh();
  await until(() => statuses().well === 'stopped' && statuses().checked === 'stopped');
  const tools = () => rows('tool_name, status', 'tool_registry');
  expect([statuses(), tools(), runtime.servers.offers()]).toEqual([
    { checked: 'stopped', gone: 'stopped', well: 'stopped' },
    [
      { tool_name: 'checked__echo', status: 'removed' },
      { tool_name: 'well__echo', status: 'removed' },
    ],
    [],
  ]);
  await configure({ well: { transport: 'http', url } });
  await runtime.refresh();
  await until(() => tools().some(({ status }) => status === 'active'));
  expect([tools(), runtime.servers.offers().map((offer) => offer.server)]).toEqual([
    [
      { tool_name: 'checked__echo', status: 'removed' },
      { tool_name: 'well__echo', status: 'active' },
    ],
    ['well'],
  ]);
});

test('the registry follows the current policy on which tools need approval', async () => {
  const asked = () => rows('approval_required', 'tool_registry').map((row) => row.approval_required);
  const policy = (operations: object) =>
    writeFile(
      join(dir, 'project_mcp.json'),
      JSON.stringify({ allowlist: { servers: ['well', 'checked'], operations } }),
    );
  expect(asked()).toEqual([0, 0]);
  await policy({ 'well/echo': { approval_required: true } });
  await until(() => asked()[1] === 1);
  expect(asked()).toEqual([0, 1]);
  await policy({ echo: { approval_required: true } });
  await until(() => asked()[0] === 1);
  await policy({});
  await until(() => asked()[0] === 0);
  expect(asked()).toEqual([0, 0]);
});

test('a gateway that ended leaves no server running behind', async () => {
  await until(() => statuses().well === 'running' && statuses().gone === 'error');
  isClosed = true;
  await runtime.close();
  expect(statuses()).toEqual({ checked: 'stopped', gone: 'stopped', well: 'stopped' });
});

test('the states of all servers are one transaction: if one write fails, none is stored', async () => {
  await until(() => statuses().gone === 'error');
  const writer = writerOf(runtime);
  health.status = 503;
  await until(() => statuses().checked === 'error');
  database.exec(
    `CREATE TRIGGER refuse BEFORE UPDATE ON mcp_servers WHEN NEW.name = 'well' BEGIN SELECT RAISE(ABORT, 'no room'); END;`,
  );
  await server.close();
  await until(() => ['checked', 'well'].every((id) => serverItem(runtime, id).state === 'error'));
  database.exec("UPDATE mcp_servers SET status = 'stopped' WHERE name = 'gone'");
  const before = statuses();
  const isKept = writer.keep();
  const refused = statuses();
  database.exec('DROP TRIGGER refuse');
  expect([isKept, refused, writer.keep(), statuses()]).toEqual([
    false,
    before,
    true,
    { checked: 'error', gone: 'error', well: 'error' },
  ]);
});
