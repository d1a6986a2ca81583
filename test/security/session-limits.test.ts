import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROXY_LIMITS } from '../../src/proxy/limits.ts';
import { SessionTable } from '../../src/proxy/sessions/session-table.ts';
import { STORE_LIMITS } from '../../src/store/limits.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { RegistryStore } from '../../src/store/registry/registry-store.ts';

let dir: string;
let now: number;
const closing: (() => void)[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bindery-sessions-'));
  now = Date.UTC(2026, 10, 15);
});
afterEach(() => {
  for (const close of closing.splice(0)) close();
  rmSync(dir, { recursive: true, force: true });
});

function openTable() {
  const database = openDatabase(join(dir, 'registry.db'));
  closing.push(() => database.close());
  const store = new RegistryStore(database);
  const clock = { now: () => now };
  const table = new SessionTable({ keys: [Buffer.alloc(32, 1)], node: 'local', store, clock, onGone: () => {} });
  const count = () => Number(database.prepare('SELECT COUNT(*) AS n FROM session_state').get()?.n);
  return { table, store, count };
}

const clientOf = (caller: string, capabilities = {}) => ({
  protocolVersion: '2025-11-25',
  profile: 'default',
  caller,
  info: undefined,
  capabilities,
});

const large = { experimental: { padding: 'x'.repeat(PROXY_LIMITS.clientCapabilityBytesMax - 100) } };

test('thousands of sessions of one caller leave a bounded number of rows and bytes, and evict no other caller [gateway:S3]', () => {
  const { table, store, count } = openTable();
  const ada = table.begin(clientOf('ada', large)).id;
  const times = 3 * STORE_LIMITS.sessionRowsPerCallerMax;
  let last = '';
  for (let at = 0; at < times; at += 1) {
    now += 10;
    const { id, session } = table.begin(clientOf('mallory', large));
    last = id;
    // Those that were ended have a row as well.
    if (at % 2 === 0) table.end(session);
  }
  const bytes = statSync(join(dir, 'registry.db')).size + statSync(join(dir, 'registry.db-wal')).size;
  expect({
    isBounded: count() <= STORE_LIMITS.sessionRowsPerCallerMax + 1,
    isSmall: bytes < 3 * (STORE_LIMITS.sessionRowsPerCallerMax + 1) * PROXY_LIMITS.clientCapabilityBytesMax,
    inMemory: table.size <= PROXY_LIMITS.sessionsPerCallerMax + 1,
    ada: table.find(ada, 'default', 'ada')?.client.capabilities,
    last: table.find(last, 'default', 'mallory')?.client.caller,
  }).toEqual({
    isBounded: true,
    isSmall: true,
    inMemory: true,
    ada: large,
    last: 'mallory',
  });
  now += 25 * 60 * 60_000;
  store.reclaimSessions(now);
  expect([count(), store.evictedThrough('mallory')]).toEqual([0, 0]);
});

test('a session that was ended stays ended when its row has been evicted, after a restart too [gateway:S3]', () => {
  const first = openTable();
  const { id, session } = first.table.begin(clientOf('mallory'));
  first.table.end(session);
  const beside = first.table.begin(clientOf('ada')).id;
  for (let at = 0; at < STORE_LIMITS.sessionRowsPerCallerMax; at += 1)
    first.table.end(first.table.begin(clientOf('mallory')).session);
  const again = openTable();
  expect([first, again].map(({ table }) => table.find(id, 'default', 'mallory'))).toEqual([undefined, undefined]);
  expect(again.table.find(beside, 'default', 'ada')?.client.caller).toBe('ada');
});

test('the least recently used idle session of a caller is evicted from memory, and a session in use never', () => {
  const { table } = openTable();
  const running = table.begin(clientOf('mallory')).session;
  running.running.begin(1);
  now += 1;
  const idle = table.begin(clientOf('mallory'));
  const ada = table.begin(clientOf('ada')).session;
  for (let at = 2; at <= PROXY_LIMITS.sessionsPerCallerMax; at += 1) {
    now += 1;
    table.begin(clientOf('mallory'));
  }
  const isKnown = [running, idle.session, ada].map(({ claims }) => table.known(claims.s) !== undefined);
  expect(isKnown).toEqual([true, false, true]);
  // Its id stays valid: it is read anew.
  expect(table.find(idle.id, 'default', 'mallory')?.client.caller).toBe('mallory');
});

test('a caller whose sessions are all in use is refused one more, and others are not', () => {
  const { table } = openTable();
  for (let at = 0; at < PROXY_LIMITS.sessionsPerCallerMax; at += 1)
    table.begin(clientOf('mallory')).session.running.begin(1);
  expect(() => table.begin(clientOf('mallory'))).toThrow(expect.objectContaining({ code: 'TOO_MANY_SESSIONS' }));
  expect(table.begin(clientOf('ada')).session.client.caller).toBe('ada');
});

test('where all callers have too many sessions together, the one with the most loses one', () => {
  const { table } = openTable();
  const few = table.begin(clientOf('few')).session;
  const each = PROXY_LIMITS.sessionsPerCallerMax;
  for (let caller = 0; table.size < PROXY_LIMITS.sessionsMax; caller += 1)
    for (let at = 0; at < each && table.size < PROXY_LIMITS.sessionsMax; at += 1) table.begin(clientOf(`c${caller}`));
  for (let at = 0; at < 10; at += 1) table.begin(clientOf('other'));
  expect([table.size, table.known(few.claims.s) === few]).toEqual([PROXY_LIMITS.sessionsMax, true]);
});
