import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { RegistryStore } from '../../store/registry/registry-store.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { ServerCatalogue } from './server-catalogue.ts';

const upstream = { transport: 'http', era: '2026', protocolVersion: '2026-07-28', capabilities: { tools: {} } };
const listed = {
  tools: [{ name: 'echo', description: 'Gives the text back.', inputSchema: { type: 'object' } }],
  resources: [],
  resourceTemplates: [],
  prompts: [],
};

test('the table of tools, which another node may write late, accepts no definition of a held server [gateway:QUARANTINE]', () => {
  const database = new DatabaseSync(':memory:');
  const catalogue = new ServerCatalogue({
    registry: new RegistryStore(database),
    database,
    log: createMemoryLog(),
    clock: { now: () => 0 },
    placeOf: () => ({ pinned: false, quarantined: true, endpoint: 'http://127.0.0.1:1/mcp' }),
    asksPerson: () => false,
  });
  const statuses = () => {
    catalogue.learn('far', upstream as unknown as Upstream, listed as never);
    return catalogue.offer('far')?.tools.map(({ status }) => status);
  };
  const atFirst = statuses();
  database.exec("UPDATE tool_registry SET accepted_sha256 = definition_sha256, status = 'active'");
  expect([atFirst, statuses(), catalogue.definitions.inUse({ server: 'far' }).get('echo')]).toEqual([
    ['quarantined'],
    ['quarantined'],
    undefined,
  ]);
  catalogue.end();
  database.close();
});
