import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import { publicCatalogue } from '../../../gateway/catalogue/public-catalogue.ts';
import { offeredTools, type ServerOffer } from '../../../gateway/catalogue/server-offer.ts';
import { NodeTable } from '../node-table.ts';
import { type Database, openDatabase } from '../open-database.ts';
import { startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { until } from '../testing/until.ts';
import { SharedHealth } from './shared-health.ts';
import { openNode } from './testing/open-node.ts';

let postgres: TestPostgres;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await postgres.stop();
});

async function nodeOn(url: string, name: string) {
  const database: Database = await openDatabase(url, createMemoryLog());
  const table = new NodeTable(database, { name, run: `run of ${name}`, url: undefined });
  await table.join();
  const health = new SharedHealth(database, name, createMemoryLog());
  health.begin();
  closing.push(async () => {
    await health.close();
    await database.close();
  });
  return { database, table, health };
}

async function rowsOf(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const LONG = 60_000;

test('[gateway:H1] of nodes that look at the same time one asks the server, and all have its answer', async () => {
  const url = await postgres.newDatabase();
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => nodeOn(url, name)));
  const heard: string[] = [];
  for (const [at, { health }] of nodes.entries()) health.on('changed', (server) => heard.push(`${at} ${server}`));
  let looks = 0;
  const round = async (withinMs: number, verdict: string | null) =>
    Promise.all(
      nodes.map(({ health }) =>
        health.check('s', withinMs, async () => {
          looks += 1;
          return verdict;
        }),
      ),
    );
  await round(LONG, 'it is ill\u0000');
  expect(looks).toBe(1);
  // Who did not look is told, and has the verdict when it asks.
  await until(() => heard.length === 2);
  const again = await round(LONG, null);
  expect([looks, again]).toEqual([1, ['it is ill\\u{0}', 'it is ill\\u{0}', 'it is ill\\u{0}']]);
  // When the time is over the next one looks.
  const [a] = nodes;
  const later = await a?.health.check('s', 0, async () => null);
  expect([later, await round(LONG, 'nobody asks')]).toEqual([null, [null, null, null]]);
});

test('[gateway:H2] [gateway:H3] what one node finds wrong the others know, until it is well or the node is gone', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url, 'a'), await nodeOn(url, 'b')];
  const state = {
    server: 's',
    status: 'error',
    error: 'refused',
    lastHealthCheck: '2026-10-01T12:00:00.000Z',
  } as const;
  await a.health.report([state, { ...state, server: 't', status: 'running', error: null }], true);
  await until(() => b.health.errorElsewhere('s') !== undefined);
  expect([b.health.errorElsewhere('s'), b.health.errorElsewhere('t'), a.health.errorElsewhere('s')]).toEqual([
    { node: 'a', error: 'refused' },
    undefined,
    undefined,
  ]);
  await a.health.report([{ ...state, status: 'running', error: null }], false);
  await until(() => b.health.errorElsewhere('s') === undefined);
  await a.health.report([state], false);
  await until(() => b.health.errorElsewhere('s') !== undefined);
  await a.table.leave();
  await b.health.refresh();
  expect(b.health.errorElsewhere('s')).toBeUndefined();
});

test('the views have the columns of the tables in SQLite, and say what the nodes see', async () => {
  const url = await postgres.newDatabase();
  const node = await openNode(url);
  closing.push(() => node.close());
  const tools = offeredTools(
    [
      {
        name: 'read',
        title: 'Reads',
        description: 'Reads.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
      { name: 'zero\u0000', inputSchema: {}, outputSchema: { const: '\u0000' } },
    ],
    { pinned: false, inUse: new Map() },
  );
  const offer: ServerOffer = {
    ...{ server: 's', era: '2025', protocolVersion: '2025-11-25', serverInfo: { name: 'S', version: '1' } },
    ...{ capabilities: {}, instructions: null, tools, resources: [], resourceTemplates: [], prompts: [] },
  };
  const row = { name: 's', endpoint: 'http://127.0.0.1:1/mcp', transport: 'http' } as const;
  node.offers.saveOffer(
    row,
    offer,
    [...publicCatalogue([offer], 'qualified').tools.values()].map((tool) => ({
      ...tool,
      tokens: 10,
      approvalRequired: tool.tool === 'read',
    })),
  );
  await node.registry.flush();
  const sqlite = new DatabaseSync(node.file, { readOnly: true });
  for (const table of ['mcp_servers', 'tool_registry']) {
    const columns = sqlite.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    const there = await rowsOf(
      url,
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}'`,
    );
    const names = (rows: readonly Record<string, unknown>[]) => rows.map(({ name }) => String(name)).sort();
    expect(names(there)).toEqual(names(columns));
  }
  sqlite.close();
  const states = async () => [
    ...(await rowsOf(url, 'SELECT name, status, last_health_check, is_served FROM mcp_servers')),
    ...(await rowsOf(
      url,
      'SELECT original_name, read_only, approval_required, title, tokens, status, owner FROM tool_registry ORDER BY 1',
    )),
  ];
  const read = {
    original_name: 'read',
    read_only: true,
    approval_required: true,
    title: 'Reads',
    tokens: 10,
    owner: '',
  };
  const zero = {
    original_name: 'zero\ufffd',
    read_only: false,
    approval_required: false,
    title: null,
    tokens: 10,
    owner: '',
  };
  const at = new Date('2026-10-01T12:00:00.000Z');
  // Nobody is there.
  expect(await states()).toEqual([
    { name: 's', status: 'stopped', last_health_check: null, is_served: false },
    { ...read, status: 'active' },
    { ...zero, status: 'active' },
  ]);
  const [a, b] = [await nodeOn(url, 'a'), await nodeOn(url, 'b')];
  const state = { server: 's', error: null, lastHealthCheck: null } as const;
  await a.health.report([{ ...state, status: 'running', lastHealthCheck: at.toISOString() }], true);
  await b.health.report([{ ...state, status: 'stopped' }], true);
  expect((await states())[0]).toEqual({ name: 's', status: 'running', last_health_check: at, is_served: true });
  await b.health.report([{ ...state, status: 'error', error: 'refused' }], true);
  expect((await states())[0]).toEqual({ name: 's', status: 'error', last_health_check: at, is_served: true });
  // Removed at both; another one is there.
  for (const { health } of [a, b]) await health.report([{ ...state, server: 'other', status: 'running' }], true);
  expect(await states()).toEqual([
    { name: 's', status: 'stopped', last_health_check: null, is_served: false },
    { ...read, status: 'removed' },
    { ...zero, status: 'removed' },
  ]);
});

test('a database that the version before made is brought up to date', async () => {
  const url = await postgres.newDatabase();
  const first = await openDatabase(url, createMemoryLog());
  await first.query('DROP VIEW mcp_servers, tool_registry, served_servers');
  await first.query('DROP TABLE server_states, health_checks');
  await first.query("DELETE FROM migrations WHERE part = 'shared' AND step >= 5");
  await first.query("CREATE VIEW mcp_servers AS SELECT 's' AS name");
  await first.query("CREATE VIEW tool_registry AS SELECT 't' AS tool_name");
  await first.close();
  const second = await openDatabase(url, createMemoryLog());
  expect([await second.query('SELECT * FROM mcp_servers'), await second.query('SELECT * FROM tool_registry')]).toEqual([
    [],
    [],
  ]);
  await second.close();
});
