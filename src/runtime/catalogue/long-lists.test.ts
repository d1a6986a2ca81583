import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { STORE_LIMITS } from '../../store/limits.ts';
import { RegistryStore } from '../../store/registry/registry-store.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { ServerCatalogue } from './server-catalogue.ts';

const upstream = { transport: 'http', era: '2026', protocolVersion: '2026-07-28', capabilities: { tools: {} } };
const LONG = 2 * STORE_LIMITS.rowsAtOnce + 1;
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function openCatalogue(place: { readonly pinned: boolean } = { pinned: false }) {
  const database = new DatabaseSync(':memory:');
  const catalogue = new ServerCatalogue({
    registry: new RegistryStore(database),
    database,
    log: createMemoryLog(),
    clock: { now: () => 0 },
    placeOf: () => ({ ...place, endpoint: 'http://127.0.0.1:1/mcp' }),
    asksPerson: () => false,
  });
  ends.push(() => {
    catalogue.end();
    database.close();
  });
  const learn = (text: string, count = LONG) => {
    const tools = Array.from({ length: count }, (_, at) => ({
      name: `tool-${at}`,
      description: `${text} ${at}`,
      inputSchema: { type: 'object' },
    }));
    const listed = { tools, resources: [], resourceTemplates: [], prompts: [] };
    return catalogue.learn('far', upstream as unknown as Upstream, listed as never);
  };
  const rows = (sql: string) => (database.prepare(sql).get() as { n: number }).n;
  return {
    catalogue,
    learn,
    active: (text: string) =>
      rows(`SELECT COUNT(*) AS n FROM tool_registry WHERE status = 'active' AND description LIKE '${text} %'`),
    inUse: (text: string) =>
      rows(`SELECT COUNT(*) AS n FROM definitions_in_use WHERE definition LIKE '%"description":"${text} %'`),
    all: () => rows('SELECT COUNT(*) AS n FROM tool_registry') + rows('SELECT COUNT(*) AS n FROM definitions_in_use'),
  };
}

/** More turns than any list here needs. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await nextTurn();
}

test('a long list is served at once, and its rows are written over several turns', async () => {
  const { catalogue, learn, active, inUse } = openCatalogue();
  learn('first');
  expect(catalogue.offer('far')?.tools).toHaveLength(LONG);
  expect(active('first') + inUse('first')).toBeLessThanOrEqual(STORE_LIMITS.rowsAtOnce + 1);
  await turns();
  expect([active('first'), inUse('first')]).toEqual([LONG, LONG]);
});

test('a list that changes while its rows are written replaces them, and each change is told with what was in use', async () => {
  const { learn, active, inUse } = openCatalogue();
  learn('first');
  await turns();
  const changes = learn('second');
  expect(changes).toHaveLength(LONG);
  expect(changes.at(-1)?.accepted?.definition).toMatchObject({ description: `first ${LONG - 1}` });
  await nextTurn();
  learn('third', LONG - 1);
  await turns();
  expect([active('first'), active('second'), active('third')]).toEqual([0, 0, LONG - 1]);
  expect([inUse('third'), inUse('second')]).toEqual([LONG - 1, 0]);
});

test('rows of a server that is forgotten meanwhile are not written', async () => {
  const { catalogue, learn, all } = openCatalogue();
  learn('first');
  catalogue.forget('far');
  await turns();
  expect(all()).toBe(0);
});

test('an acceptance comes after the rows that it is about', async () => {
  const { catalogue, learn, active } = openCatalogue({ pinned: true });
  learn('first');
  await turns();
  const changes = learn('second');
  const seen = changes.map(({ tool, current: { sha256 } }) => ({ tool, sha256 })).slice(-2);
  expect(catalogue.accept('far', seen)).toBe(true);
  await turns();
  expect(active('second')).toBe(2);
  expect(catalogue.offer('far')?.tools.filter(({ status }) => status === 'active')).toHaveLength(2);
});
