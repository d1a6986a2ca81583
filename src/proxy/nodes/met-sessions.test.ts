import { expect, test } from 'vitest';
import { SessionTable } from '../sessions/session-table.ts';
import { MetSessions, type SharedSessionStore } from './met-sessions.ts';

const caller = { protocolVersion: '2025-11-25', profile: 'default', caller: 'ada', info: undefined, capabilities: {} };

/** A node whose registry cannot be written to. */
function nodeWithFullDisk(find: SharedSessionStore['find']) {
  const local = {
    session: () => undefined,
    saveSession: () => {
      throw new Error('database or disk is full');
    },
    evictedThrough: () => 0,
  };
  const gone: string[] = [];
  const sessions = new SessionTable({
    keys: [new Uint8Array(32)],
    store: local,
    clock: { now: Date.now },
    node: 'a',
    onGone: ({ claims }) => gone.push(claims.s),
  });
  const shared = { find, save: () => Promise.resolve() };
  const met = new MetSessions({ shared, sessions: () => sessions, onEnd: () => {}, now: Date.now });
  return { sessions, met, gone };
}

test('a session that was ended elsewhere ends here even where that cannot be written down [gateway:S3]', () => {
  const { sessions, met, gone } = nodeWithFullDisk(() => Promise.resolve(undefined));
  const { session } = sessions.begin(caller);
  expect(() => met.ended(session.claims.s)).toThrow('database or disk is full');
  expect([sessions.size, gone]).toEqual([0, [session.claims.s]]);
});

test('an ended session is not met where its end cannot be written down; a cut alone stops nobody [gateway:R14]', async () => {
  const outcomes = [];
  for (const find of [
    () => Promise.resolve({ ended: true, state: {} }),
    () => Promise.reject(new Error('cut')),
  ] as const) {
    const { sessions, met } = nodeWithFullDisk(find);
    const { id, session } = sessions.begin(caller);
    sessions.forget(session.claims.s);
    outcomes.push(await met.meet(id).then(() => 'met', String));
  }
  expect(outcomes).toEqual(['Error: database or disk is full', 'met']);
});
