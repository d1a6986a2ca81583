import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BinderyError } from '../../contract/errors.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { ApprovalStore } from './approval-store.ts';

let store: ApprovalStore;
let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  store = new ApprovalStore(database);
});

const at = (second: number) => `2026-11-15T00:00:${String(second).padStart(2, '0')}.000Z`;
const approval: Approval = {
  id: 'apr_1',
  status: 'pending',
  server: 's',
  tool: 't',
  name: 's__t',
  arguments: {},
  masked: [],
  arguments_sha256: 'abc',
  reason: null,
  rule: { file: null, line: null, pointer: null },
  caller: 'me',
  profile: 'default',
  session: null,
  client: null,
  created_at: at(0),
  expires_at: at(10),
  decided_at: null,
  decided_by: null,
  decided_via: null,
  decision_reason: null,
  remember: 'none',
  remember_allowed: 'never',
  surfaces: ['console', 'cli'],
  shown: '',
  call_id: 'c',
};
const key = { caller: 'me', profile: 'default', server: 's', tool: 't', arguments_sha256: 'abc' };
const other = (id: string, more: Partial<Approval> = {}): Approval => ({
  ...approval,
  id,
  arguments_sha256: id,
  ...more,
});
const yes = { decision: 'approve', by: 'admin', via: 'cli' } as const;

test('an approval is decided once and used once [gateway:V1]', () => {
  store.add(approval, 'sealed');
  expect(store.use('apr_1', at(1))).toBe(false);
  expect(store.decide('apr_1', yes, at(1))).toMatchObject({
    status: 'approved',
    decided_by: 'admin',
    decided_via: 'cli',
    decided_at: at(1),
    remember: 'none',
  });
  expect(store.decide('apr_1', { ...yes, decision: 'deny' }, at(2))).toBeUndefined();
  expect([store.use('apr_1', at(2)), store.use('apr_1', at(2)), store.find('apr_1')?.status]).toEqual([
    true,
    false,
    'used',
  ]);
});

test('ten minutes after it was asked it is too late for everything [gateway:V1]', () => {
  store.add(approval, 'sealed');
  store.add(other('apr_2'), 'sealed');
  store.decide('apr_2', yes, at(1));
  expect([store.decide('apr_1', yes, at(10)), store.use('apr_2', at(10)), store.current(key, at(10))]).toEqual([
    undefined,
    false,
    undefined,
  ]);
  expect(store.expire(at(10)).sort()).toEqual(['apr_1', 'apr_2']);
  expect(store.list({ status: 'expired' }, 10, 0).map(({ id }) => id)).toEqual(['apr_1', 'apr_2']);
});

test('an equal call finds the open question, another call does not [gateway:V2]', () => {
  store.add(approval, 'sealed');
  expect(store.current(key, at(1))?.id).toBe('apr_1');
  for (const other of [
    { caller: 'you' },
    { profile: 'p' },
    { server: 'x' },
    { tool: 'x' },
    { arguments_sha256: 'x' },
  ]) {
    expect(store.current({ ...key, ...other }, at(1))).toBeUndefined();
  }
});

test('a remembered yes holds for its scope and its time', () => {
  store.remember(key, 'session-1', { via: 'console', expires_at: at(5) });
  expect([
    store.remembered(key, ['session-1', 'always'], ['console', 'cli'], at(4)) !== undefined,
    store.remembered(key, ['session-2', 'always'], ['console', 'cli'], at(4)) !== undefined,
    store.remembered(key, ['session-1'], ['console', 'cli'], at(5)) !== undefined,
  ]).toEqual([true, false, false]);
});

test('decided requests are kept as long as configured, open ones stay, and expired remembered approvals are purged', () => {
  const remembered = () =>
    (['a', 'b'] as const).map((scope) => store.remembered(key, [scope], ['cli'], at(0)) !== undefined);
  store.add(other('open'), 'sealed');
  store.add(other('old'), 'sealed');
  store.add(other('new', { created_at: at(5) }), 'sealed');
  for (const id of ['old', 'new']) store.decide(id, { ...yes, decision: 'deny' }, at(6));
  store.remember(key, 'a', { via: 'cli', expires_at: at(7) });
  store.remember(key, 'b', { via: 'cli', expires_at: at(9) });
  const ids = () => store.list({}, 10, 0).map(({ id }) => id);
  store.reclaim(at(8), undefined);
  expect([ids().toSorted(), remembered()]).toEqual([
    ['new', 'old', 'open'],
    [false, true],
  ]);
  store.reclaim(at(8), at(5));
  expect(ids().toSorted()).toEqual(['new', 'open']);
});

test('a remembered approval counts while its surface is allowed; one of an older version counts as the client’s', () => {
  store.remember(key, 'always', { via: 'client', expires_at: at(5) });
  store.remember({ ...key, tool: 'by-console' }, 'always', { via: 'console', expires_at: at(5) });
  const remembered = (tool: string, surfaces: ('console' | 'client')[]) =>
    store.remembered({ ...key, tool }, ['always'], surfaces, at(1)) !== undefined;
  database.exec(
    `INSERT INTO remembered_approvals(caller, profile, server, tool, scope, expires_at) VALUES ('me', 'default', 's', 'before', 'always', '${at(5)}')`,
  );
  expect(
    ['t', 'by-console', 'before'].map((tool) => [
      remembered(tool, ['client']),
      remembered(tool, ['console']),
      remembered(tool, ['console', 'client']),
      remembered(tool, []),
    ]),
  ).toEqual([
    [true, false, true, false],
    [false, true, true, false],
    [true, false, true, false],
  ]);
});

test('an equal question is joined, not asked a second time [gateway:V2]', () => {
  store.add(approval, 'sealed');
  expect([store.add({ ...approval, id: 'again' }, 'other').id, store.find('again'), store.pendingCount()]).toEqual([
    'apr_1',
    undefined,
    1,
  ]);
});

test('lists are oldest first, whatever the order in which they were asked [gateway:G5]', () => {
  for (const second of [3, 1, 2]) store.add(other(`at-${second}`, { created_at: at(second) }), 'sealed');
  const ids = (approvals: readonly Approval[]) => approvals.map(({ id }) => id);
  expect([
    ids(store.list({}, 10, 0)),
    ids(store.list({ status: 'pending' }, 2, 0)),
    ids(store.list({ status: 'pending' }, 2, 2)),
    ids(store.newest(2)),
  ]).toEqual([['at-1', 'at-2', 'at-3'], ['at-1', 'at-2'], ['at-3'], ['at-2', 'at-3']]);
});

test('the exact arguments are kept while they may still be sent, and no longer', () => {
  for (const id of ['pending', 'approved', 'used', 'denied', 'expired'])
    store.add(other(id, { expires_at: id === 'expired' ? at(2) : at(10) }), `sealed ${id}`);
  for (const id of ['approved', 'used']) store.decide(id, yes, at(1));
  store.decide('denied', { ...yes, decision: 'deny' }, at(1));
  store.use('used', at(1));
  store.expire(at(3));
  expect(['pending', 'approved', 'used', 'denied', 'expired', 'unknown'].map((id) => store.sealed(id))).toEqual([
    'sealed pending',
    'sealed approved',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

describe('too many questions are refused', () => {
  const { approvalsPendingPerCallerMax, approvalsPendingMax } = GATEWAY_LIMITS;
  const refusal = (add: () => unknown) => {
    try {
      add();
      return 'added';
    } catch (thrown) {
      return (thrown as BinderyError).code;
    }
  };

  test('of one caller: at the limit, and until one is decided or its time is up; another caller is not held back', () => {
    for (let count = 0; count < approvalsPendingPerCallerMax; count += 1) store.add(other(`q${count}`), 'sealed');
    const one = () => refusal(() => store.add(other('more'), 'sealed'));
    expect([one(), refusal(() => store.add(other('yours', { caller: 'you' }), 'sealed'))]).toEqual([
      'TOO_MANY_APPROVALS',
      'added',
    ]);
    // The same question again is no further one.
    expect(store.add(other('q0', { id: 'q0 again' }), 'sealed').id).toBe('q0');
    store.decide('q1', yes, at(1));
    expect([one(), one()]).toEqual(['added', 'added']);
    expect(refusal(() => store.add(other('one too many'), 'sealed'))).toBe('TOO_MANY_APPROVALS');
    expect(refusal(() => store.add(other('later', { created_at: at(11) }), 'sealed'))).toBe('added');
  });

  test('of all callers together', () => {
    for (let count = 0; count < approvalsPendingMax; count += 1)
      store.add(other(`q${count}`, { caller: `c${count % 50}` }), 'sealed');
    expect(refusal(() => store.add(other('more', { caller: 'new' }), 'sealed'))).toBe('TOO_MANY_APPROVALS');
    store.decide('q0', { ...yes, decision: 'deny' }, at(1));
    expect(refusal(() => store.add(other('more', { caller: 'new' }), 'sealed'))).toBe('added');
  });

  test('by what is kept of them', () => {
    const large = 'x'.repeat(4 * 1024 * 1024);
    const add = (id: string) => refusal(() => store.add(other(id, { arguments: { large } }), 'sealed'));
    expect(['a', 'b', 'c', 'd'].map(add)).toEqual(['added', 'added', 'added', 'TOO_MANY_APPROVALS']);
  });
});

test('pending requests are listed before decided ones, oldest first in both, and counted', () => {
  for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) store.add(other(id, { created_at: at(index) }), 'sealed');
  for (const id of ['c', 'a']) store.decide(id, { ...yes, decision: 'deny' }, at(5));
  const ids = (limit: number, offset: number) => store.list({}, limit, offset).map(({ id }) => id);
  expect([ids(10, 0), ids(2, 1), store.count({}), store.count({ status: 'denied', profiles: ['none'] })]).toEqual([
    ['b', 'd', 'a', 'c'],
    ['d', 'a'],
    4,
    0,
  ]);
});

test('a question is withdrawn before its time while it is pending, with its arguments, and never once it is decided', () => {
  store.add(other('open'), 'sealed');
  store.add(other('decided'), 'sealed');
  store.decide('decided', yes, at(1));
  expect([store.withdraw('open'), store.withdraw('open'), store.withdraw('decided')]).toEqual([true, false, false]);
  expect(['open', 'decided'].map((id) => [store.find(id)?.status, store.sealed(id)])).toEqual([
    ['expired', undefined],
    ['approved', 'sealed'],
  ]);
});
