import { expect, test } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import { SessionTable } from './session-table.ts';

test('ten thousand sessions that were opened and left are reclaimed, and their ids stay valid [gateway:S3]', () => {
  let now = Date.UTC(2026, 10, 15);
  const gone = new Set<string>();
  const table = new SessionTable({
    keys: [Buffer.alloc(32, 1)],
    node: 'local',
    store: { session: () => undefined, saveSession: () => {}, evictedThrough: () => 0 },
    clock: { now: () => now },
    onGone: ({ client }) => gone.add(client.key),
  });
  const client = {
    protocolVersion: '2025-11-25',
    profile: 'default',
    caller: 'local',
    info: undefined,
    capabilities: {},
  };
  const ids = Array.from({ length: 10_000 }, () => table.begin(client).id);
  const known = ids.filter((id) => table.find(id, 'default', 'local')).length;
  now += PROXY_LIMITS.sessionIdleMs;
  const { session } = table.begin(client);
  const running = session.running.begin(1);
  now += PROXY_LIMITS.sessionIdleMs;
  table.reclaim();
  expect([table.size, running.aborted]).toEqual([1, false]);
  session.running.end(1, running);
  gone.clear();
  table.reclaim();
  expect(gone.size).toBe(1);
  expect([known, table.size]).toEqual([10_000, 0]);
  expect(table.find(ids[0] as string, 'default', 'local')?.client.profile).toBe('default');
});
