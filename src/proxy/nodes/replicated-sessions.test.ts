import { expect, test } from 'vitest';
import { SessionTable } from '../sessions/session-table.ts';
import { ReplicatedSessions, type SharedSessionStore } from './replicated-sessions.ts';

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
  const replicated = new ReplicatedSessions({ shared, sessions: () => sessions, onEnd: () => {}, now: Date.now });
  return { sessions, replicated, gone };
}

test('a session that ended elsewhere ends here even if the write fails [gateway:S3]', () => {
  const { sessions, replicated, gone } = nodeWithFullDisk(() => Promise.resolve(undefined));
  const { session } = sessions.begin(caller);
  expect(() => replicated.ended(session.claims.s)).toThrow('database or disk is full');
  expect([sessions.size, gone]).toEqual([0, [session.claims.s]]);
});

test('a session is not loaded if its end cannot be stored; a database outage alone stops no client [gateway:R14]', async () => {
  const outcomes = [];
  for (const find of [
    () => Promise.resolve({ ended: true, state: {} }),
    () => Promise.reject(new Error('cut')),
  ] as const) {
    const { sessions, replicated } = nodeWithFullDisk(find);
    const { id, session } = sessions.begin(caller);
    sessions.forget(session.claims.s);
    outcomes.push(await replicated.load(id).then(() => 'loaded', String));
  }
  expect(outcomes).toEqual(['Error: database or disk is full', 'loaded']);
});
