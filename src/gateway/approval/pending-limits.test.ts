import { expect, test } from 'vitest';
import type { BinderyError } from '../../contract/errors.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { isCounted, type PendingQuestion, partyOf, refuseTooMany } from './pending-limits.ts';

const { approvalsPendingPerCallerMax: ownMax, approvalsPendingSharedMax: sharedMax } = GATEWAY_LIMITS;
const asked = (caller: string, session: string | null, bytes = 1): PendingQuestion => ({
  id: 'q',
  caller,
  party: partyOf({ caller, session, client: { name: 'agent', version: '1' } }),
  bytes,
});
const many = (count: number, question: PendingQuestion) => Array.from({ length: count }, () => question);
const limitFor = (pending: readonly PendingQuestion[], question: PendingQuestion) => {
  try {
    refuseTooMany(pending, question);
    return 'room';
  } catch (thrown) {
    return (thrown as BinderyError).members.limit;
  }
};

test('a key is one party in all its sessions; without a key each session, or each client, is its own', () => {
  const client = { name: 'agent', version: '1' };
  const parties = (caller: string) =>
    [
      { session: 'a', client },
      { session: 'b', client },
      { session: null, client },
      { session: null, client: { name: 'other', version: '1' } },
      { session: null, client: null },
    ].map((more) => partyOf({ caller, ...more }));
  expect([new Set(parties('key:1')).size, new Set(parties('local')).size, new Set(parties('token')).size]).toEqual([
    1, 5, 5,
  ]);
  expect(partyOf({ caller: 'local', session: 'a', client })).not.toBe(
    partyOf({ caller: 'token', session: 'a', client }),
  );
});

test('limits refuse at n and admit at n − 1, for one party, for callers without a key, and for all', () => {
  const full = many(ownMax, asked('local', 'a'));
  const crowd = Array.from({ length: sharedMax }, (_, index) => asked('local', `s${index}`));
  expect([
    limitFor(full.slice(1), asked('local', 'a')),
    limitFor(full, asked('local', 'a')),
    limitFor(full, asked('local', 'b')),
    limitFor(full, asked('key:1', null)),
    limitFor(crowd.slice(1), asked('token', 'b')),
    limitFor(crowd, asked('token', 'b')),
    limitFor(crowd, asked('key:1', null)),
    limitFor([...crowd, ...many(sharedMax, asked('key:2', null))], asked('key:1', null)),
    limitFor([asked('local', 'a', 16 * 1024 * 1024)], asked('local', 'a')),
  ]).toEqual(['room', 'caller', 'room', 'room', 'room', 'keyless', 'room', 'all', 'caller']);
});

test('only approvals that the limit counts free a place', () => {
  const [own, other, keyed] = [asked('local', 'a'), asked('local', 'b'), asked('key:1', null)];
  const counted = (limit: 'caller' | 'keyless' | 'all') =>
    [own, other, keyed].map((question) => isCounted(limit, question, own));
  expect([counted('caller'), counted('keyless'), counted('all')]).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});

test('the stored bytes are limited exactly, for one party, for callers without a key, and for all', () => {
  const {
    approvalsPendingBytesPerCallerMax: own,
    approvalsPendingBytesSharedMax: shared,
    approvalsPendingBytesMax: all,
  } = GATEWAY_LIMITS;
  const limits = (pending: readonly PendingQuestion[], caller: string, session: string | null) =>
    [1, 2].map((bytes) => limitFor(pending, asked(caller, session, bytes)));
  const half = (bytes: number) => bytes / 2;
  expect([
    limits([asked('local', 'a', half(own)), asked('local', 'a', half(own) - 1)], 'local', 'a'),
    limits([asked('local', 'b', half(shared)), asked('token', 'c', half(shared) - 1)], 'local', 'a'),
    limits([asked('key:1', null, half(all)), asked('local', 'b', half(all) - 1)], 'key:2', null),
  ]).toEqual([
    ['room', 'caller'],
    ['room', 'keyless'],
    ['room', 'all'],
  ]);
  const refusal = (pending: PendingQuestion[], question: PendingQuestion) => {
    try {
      refuseTooMany(pending, question);
      return '';
    } catch (thrown) {
      return (thrown as BinderyError).detail;
    }
  };
  expect([
    refusal(many(ownMax, asked('key:1', null)), asked('key:1', null)),
    refusal([asked('local', 'b', shared)], asked('local', 'a')),
    refusal([asked('key:1', null, all)], asked('key:2', null)),
  ]).toEqual([
    `${ownMax} calls of this caller wait for a decision`,
    '1 calls of callers without a key wait for a decision',
    '1 calls wait for a decision',
  ]);
});
