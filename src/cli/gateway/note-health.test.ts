import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { until } from '../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { NO_NAMES } from '../../host/connection/named-endpoint.ts';
import { GatewayRuntime } from './gateway-runtime.ts';
import { noteHealth } from './note-health.ts';
import { serverItem } from './running-deps.ts';

test('[wire:HEALTH] when a server was last well stands in its item and in the registry', async () => {
  const server = await new HttpFixture(legacyHttp()).listen();
  const dir = await mkdtemp(join(tmpdir(), 'bindery-health-'));
  const servers = {
    well: { transport: 'http', url: server.url },
    gone: { transport: 'http', url: 'http://127.0.0.1:1/' },
  };
  await writeFile(join(dir, 'config.json'), JSON.stringify({ mcp: { servers } }));
  const runtime = new GatewayRuntime({
    registryFile: join(dir, 'registry.db'),
    ...{ dataDir: dir, configDir: dir, configFile: join(dir, 'config.json'), projectDir: dir },
    ...{ policyFile: undefined, trustProject: false, exposure: undefined, node: 'local', env: {}, version: '0' },
    ...{ clock: { now: Date.now }, random: { bytes: (length: number) => randomBytes(length) }, log: createMemoryLog() },
    ...{ names: NO_NAMES, builtins: [], probe: { intervalMs: 20, timeoutMs: 2000 } },
  });
  try {
    await runtime.start();
    await until(() => serverItem(runtime, 'well').last_health_check !== null && runtime.offers().length === 1);
    noteHealth(runtime);
    const { last_health_check } = serverItem(runtime, 'well');
    const database = new DatabaseSync(join(dir, 'registry.db'), { readOnly: true });
    const rows = database.prepare('SELECT name, status, last_health_check FROM mcp_servers').all();
    database.close();
    expect([rows.map((row) => ({ ...row })), serverItem(runtime, 'gone').last_health_check]).toEqual([
      [{ name: 'well', status: 'running', last_health_check: expect.stringMatching(/^\d{4}-.*Z$/) }],
      null,
    ]);
    expect(Date.parse(String(last_health_check))).toBeLessThanOrEqual(Date.now());
  } finally {
    await runtime.close();
    await server.close();
  }
});
