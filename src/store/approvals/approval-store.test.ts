import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import type { Approval } from '../../gateway/approval/approval.ts';
import { ApprovalStore } from './approval-store.ts';

let store: ApprovalStore;
beforeEach(() => {
  store = new ApprovalStore(new DatabaseSync(':memory:'));
});

const at = (second: number) => `2026-11-15T00:00:${String(second).padStart(2, '0')}.000Z`;
const approval: Approval = {
  id: 'apr_1',
  status: 'pending',
  server: 's',
  tool: 't',
  name: 's__t',
  arguments: {},
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
  shown: '',
  call_id: 'c',
};
const key = { caller: 'me', profile: 'default', server: 's', tool: 't', arguments_sha256: 'abc' };
const yes = { decision: 'approve', by: 'admin', via: 'cli' } as const;

test('an approval is decided once and used once [gateway:V1]', () => {
  store.add(approval);
  expect(store.use('apr_1', at(1))).toBe(false);
  expect(store.decide('apr_1', yes, at(1))).toMatchObject({
    status: 'approved',
    decided_by: 'admin',
    decided_via: 'cli',
    decided_at: at(1),
  });
  expect(store.decide('apr_1', { ...yes, decision: 'deny' }, at(2))).toBeUndefined();
  expect([store.use('apr_1', at(2)), store.use('apr_1', at(2)), store.find('apr_1')?.status]).toEqual([
    true,
    false,
    'used',
  ]);
});

test('ten minutes after it was asked it is too late for everything [gateway:V1]', () => {
  store.add(approval);
  store.add({ ...approval, id: 'apr_2' });
  store.decide('apr_2', yes, at(1));
  expect([store.decide('apr_1', yes, at(10)), store.use('apr_2', at(10)), store.current(key, at(10))]).toEqual([
    undefined,
    false,
    undefined,
  ]);
  expect(store.expire(at(10)).sort()).toEqual(['apr_1', 'apr_2']);
  expect(store.list({ status: 'expired' }, 10, 0).map(({ id }) => id)).toEqual(['apr_2', 'apr_1']);
});

test('an equal call finds the open question, another call does not [gateway:V2]', () => {
  store.add(approval);
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
  store.remember(key, 'session-1', at(5));
  expect([
    store.isRemembered(key, ['session-1', 'always'], at(4)),
    store.isRemembered(key, ['session-2', 'always'], at(4)),
    store.isRemembered(key, ['session-1'], at(5)),
  ]).toEqual([true, false, false]);
});

test('what is settled is kept as long as asked, what is open stays, and a yes whose time is up is dropped', () => {
  const remembered = () => (['a', 'b'] as const).map((scope) => store.isRemembered(key, [scope], at(0)));
  store.add({ ...approval, id: 'open' });
  store.add({ ...approval, id: 'old' });
  store.add({ ...approval, id: 'new', created_at: at(5) });
  for (const id of ['old', 'new']) store.decide(id, { ...yes, decision: 'deny' }, at(6));
  store.remember(key, 'a', at(7));
  store.remember(key, 'b', at(9));
  const ids = () => store.list({}, 10, 0).map(({ id }) => id);
  store.reclaim(at(8), undefined);
  expect([ids().toSorted(), remembered()]).toEqual([
    ['new', 'old', 'open'],
    [false, true],
  ]);
  store.reclaim(at(8), at(5));
  expect(ids().toSorted()).toEqual(['new', 'open']);
});
