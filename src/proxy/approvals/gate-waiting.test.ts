import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BinderyError } from '../../contract/errors.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { type AskedAbout, TestApprovals } from '../testing/test-approvals.ts';

let approvals: TestApprovals;
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-15T00:00:00Z') });
  approvals = new TestApprovals();
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => vi.advanceTimersByTimeAsync(0);
const asked = async (about: AskedAbout = {}) => {
  const call = approvals.call(about);
  await turn();
  return call;
};

test('a call waits to the millisecond as long as it may, and its question lives on for as long as it says [gateway:V8]', async () => {
  const call = await asked();
  await vi.advanceTimersByTimeAsync(49_999);
  expect([call.outcome, approvals.attempts.filter((attempt) => attempt.startsWith('expire'))]).toEqual(['waits', []]);
  await vi.advanceTimersByTimeAsync(1);
  expect([call.outcome, call.error?.detail, call.error?.members]).toEqual([
    'APPROVAL_PENDING',
    'A person has to approve this call: apr_1',
    { approval_id: 'apr_1' },
  ]);
  await vi.advanceTimersByTimeAsync(549_999);
  expect((await approvals.decide('apr_1', 'approve')).status).toBe('approved');
});

test('an unanswered question expires for all waiting calls, and all listeners are notified', async () => {
  approvals = new TestApprovals({ settings: () => ({ expires_ms: 1_000, wait_ms: 50_000 }) });
  const [call, other] = [await asked(), await asked({ tool: 'u' })];
  await vi.advanceTimersByTimeAsync(999);
  expect([call.outcome, approvals.decided]).toEqual(['waits', []]);
  await vi.advanceTimersByTimeAsync(1);
  expect([call.outcome, call.error?.members, other.outcome, approvals.decided]).toEqual([
    'APPROVAL_EXPIRED',
    { approval_id: 'apr_1' },
    'APPROVAL_EXPIRED',
    ['apr_1 expired', 'apr_2 expired'],
  ]);
  // Another node may have dropped one by then.
  approvals.instead.expire = () => ['gone'];
  await approvals.gate.expire();
  expect(approvals.decided.length).toBe(2);
});

test('a client that has to retry gets the hint how to approve; a denial without a reason has none', async () => {
  approvals = new TestApprovals({ howToApprove: (id) => `Run: approve ${id}` });
  const [pending, denied] = [await asked(), await asked({ tool: 'u' })];
  await approvals.decide('apr_2', 'deny');
  approvals.gate.stopWaiting();
  await turn();
  expect([pending.error?.detail, denied.outcome, denied.error?.detail]).toEqual([
    'A person has to approve this call: apr_1. Run: approve apr_1',
    'APPROVAL_DENIED',
    undefined,
  ]);
});

test('after waiting was stopped no call waits, not even a later one; the questions stay open', async () => {
  const early = await asked();
  approvals.gate.stopWaiting();
  await turn();
  const late = await asked({ tool: 'u' });
  expect([early.outcome, late.outcome, approvals.gate.waiting, approvals.store.pendingCount()]).toEqual([
    'APPROVAL_PENDING',
    'APPROVAL_PENDING',
    0,
    2,
  ]);
});

test('a client that leaves or cancels ends only its own wait, at once', async () => {
  const [left, cancelled, stays] = [await asked(), await asked(), await asked()];
  left.leaving.abort();
  cancelled.signal.abort(new Error('cancelled by its client'));
  await turn();
  expect([left.outcome, cancelled.outcome, stays.outcome, approvals.gate.waiting]).toEqual([
    'APPROVAL_PENDING',
    'cancelled by its client',
    'waits',
    1,
  ]);
  expect([approvals.gate.listenerCount('decided'), approvals.gate.listenerCount('ending')]).toEqual([3, 1]);
});

test('a decision of another process is found at the next look, and a question that was dropped there is waited for', async () => {
  const [call, dropped] = [await asked(), await asked({ tool: 'u' })];
  approvals.store.decide('apr_1', { decision: 'approve', by: 'bob', via: 'cli' }, new Date().toISOString());
  approvals.database.exec("DELETE FROM approvals WHERE id = 'apr_2'");
  await vi.advanceTimersByTimeAsync(PROXY_LIMITS.approvalLookEveryMs - 1);
  expect(call.outcome).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  expect([call.outcome, dropped.outcome]).toEqual(['used apr_1', 'waits']);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(dropped.outcome).toBe('APPROVAL_PENDING');
});

test('a client that wants progress hears at each interval that its call waits, and a client that does not hears nothing', async () => {
  const every = PROXY_LIMITS.approvalProgressEveryMs;
  const wants = await asked({ params: { arguments: { x: 1 }, _meta: { progressToken: 'p' } } });
  const quiet = await asked();
  await vi.advanceTimersByTimeAsync(every - 1);
  expect(wants.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1 + every);
  const looks = every / PROXY_LIMITS.approvalLookEveryMs;
  const progress = (step: number) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'p', progress: step, message: 'waiting for approval: apr_1' },
  });
  expect([wants.sent, quiet.sent]).toEqual([[progress(looks), progress(2 * looks)], []]);
});

test('waiting calls are bounded in number and total size; one more of either has to retry', async () => {
  const { approvalWaitingMax, approvalWaitingBytesMax } = PROXY_LIMITS;
  const full = await asked({ bytes: approvalWaitingBytesMax - 100 });
  expect([(await asked({ bytes: 101 })).outcome, (await asked({ bytes: 100 })).outcome]).toEqual([
    'APPROVAL_PENDING',
    'waits',
  ]);
  full.leaving.abort();
  await turn();
  const others = [];
  for (let count = 1; count < approvalWaitingMax; count += 1) others.push(approvals.call({ bytes: 1 }));
  await turn();
  expect([approvals.gate.waiting, (await asked({ bytes: 1 })).outcome, full.outcome]).toEqual([
    approvalWaitingMax,
    'APPROVAL_PENDING',
    'APPROVAL_PENDING',
  ]);
  await approvals.decide('apr_1', 'deny');
  await turn();
  expect([approvals.gate.waiting, (await asked({ bytes: approvalWaitingBytesMax })).outcome]).toEqual([0, 'waits']);
  expect(approvals.gate.getMaxListeners()).toBe(0);
});

test('a decision that comes too late reports the state of the question', async () => {
  const statusOf = (decided: Promise<unknown>) =>
    decided.then(
      () => 'decided',
      ({ code, members }: BinderyError) => [code, members.approval_status],
    );
  await asked();
  await approvals.decide('apr_1', 'deny');
  expect([
    await statusOf(approvals.decide('apr_1', 'approve')),
    await statusOf(approvals.decide('gone', 'approve')),
    approvals.decided,
  ]).toEqual([['APPROVAL_NOT_PENDING', 'denied'], ['APPROVAL_NOT_PENDING', 'unknown'], ['apr_1 denied']]);
});

test('changes of another node are announced: questions as asked, decisions as made, uses not at all', async () => {
  const asks: string[] = [];
  approvals.gate.on('asked', ({ id }) => asks.push(id));
  for (const status of ['pending', 'approved', 'denied', 'expired', 'used'])
    approvals.gate.applyRemote({ id: `of ${status}`, status } as Approval);
  expect([approvals.created, approvals.decided, asks]).toEqual([
    ['of pending'],
    ['of approved approved', 'of denied denied', 'of expired expired'],
    [],
  ]);
});

test('decisions of other nodes are read before any lookup', async () => {
  approvals.instead.refresh = () => Promise.resolve();
  await asked();
  expect(approvals.attempts.slice(0, 2).map((attempt) => attempt.split(' ')[0])).toEqual(['refresh', 'remembered']);
});

test('a yes is remembered for eight hours in its session, and only as long as the surface that it was given on counts', async () => {
  const session = { remember: 'session', session: 'mine' } as const;
  await asked(session);
  await approvals.decide('apr_1', 'approve', { remember: 'session', via: 'cli' });
  await turn();
  const outcomes = async (...all: AskedAbout[]) => {
    const calls = [];
    for (const [n, about] of all.entries())
      calls.push((await asked({ ...session, params: { arguments: { n } }, ...about })).outcome);
    return calls;
  };
  expect(
    await outcomes(
      {},
      { surfaces: ['console'] },
      { session: 'other' },
      { profile: 'other' },
      { caller: 'key:2' },
      { server: 'other' },
      { tool: 'other' },
      { remember: 'never' },
    ),
  ).toEqual(['remembered', ...Array(7).fill('waits')]);
  await vi.advanceTimersByTimeAsync(GATEWAY_LIMITS.approvalSessionMs - 1);
  expect(await outcomes({})).toEqual(['remembered']);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcomes({})).toEqual(['waits']);
});

test('a yes for ever outlives every session', async () => {
  await asked({ remember: 'always' });
  await approvals.decide('apr_1', 'approve', { remember: 'always' });
  await turn();
  vi.setSystemTime(Date.parse('2126-11-15T00:00:00Z'));
  const later = await asked({ remember: 'always', session: 'another', params: { arguments: { y: 1 } } });
  const forSession = await asked({ remember: 'session', session: 'another', params: { arguments: { y: 1 } } });
  expect([later.outcome, forSession.outcome]).toEqual(['remembered', 'waits']);
});
