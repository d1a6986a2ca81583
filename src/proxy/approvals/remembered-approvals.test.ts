import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import type { BinderyError } from '../../contract/errors.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { ApprovalGate } from './approval-gate.ts';

let store: ApprovalStore;
let gate: ApprovalGate;
let ids = 0;
beforeEach(() => {
  store = new ApprovalStore(new DatabaseSync(':memory:'));
  gate = new ApprovalGate({
    store,
    clock: { now: Date.now },
    keys: [Buffer.alloc(32)],
    redactor: { of: () => ({ known: (text) => text }) },
    seal: () => '',
    settings: () => ({ expires_ms: 600_000, wait_ms: 5_000 }),
    newApprovalId: () => {
      ids += 1;
      return `apr_${ids}`;
    },
  });
});

/** A call that needs approval: how it passed, or what it was refused with. */
async function call(session: string, args: object, remember: 'session' | 'always', bytes = 100): Promise<string> {
  const client = { era: '2025', caller: 'local', profile: 'default', session, capabilities: {}, key: session };
  const { signal } = new AbortController();
  const exchange = { signal, left: () => signal, send() {}, ask: () => Promise.reject(new Error()) };
  const decision = { decision: 'approval', reason: null, file: null, line: null, pointer: null };
  const judgement = { decision, remember, surfaces: ['console'], judgesArguments: true, judgesTime: false };
  const target = { kind: 'call', server: 's', tool: 't', name: 's__t', rewrite: {} };
  const request = { id: 1, bytes: { length: bytes }, params: { name: 's__t', arguments: args } };
  const approved = await gate.approve({ client, request, exchange, target, judgement, callId: 'call' } as never);
  if (approved.isRemembered) return (await approved.use()) ? `remembered ${approved.approval.id}` : 'revoked';
  return (await approved.use()) ? 'approved' : 'asks anew';
}

async function approve(remember?: 'none' | 'session' | 'always') {
  await wait(20);
  const [question] = store.list({ status: 'pending' }, 10, 0);
  if (!question) throw new Error('nobody was asked');
  await gate.decide(question.id, {
    decision: 'approve',
    ...(remember && { remember }),
    by: 'admin',
    via: 'console',
  });
  return question;
}

test('an approval for the session counts for the session that the question showed, even if others waited for it [gateway:V2]', async () => {
  const first = call('a', { x: 1 }, 'session');
  await wait(5);
  const calls = [first, call('b', { x: 1 }, 'session')];
  expect((await approve('session')).session).toBe('a');
  expect(await Promise.all(calls)).toEqual(['approved', 'asks anew']);
  expect(await call('a', { other: 1 }, 'session')).toMatch(/^remembered apr_/);
  const asked = call('b', { other: 1 }, 'session');
  await approve('none');
  expect(await asked).toBe('approved');
});

test('a remembered yes names the approval that it came from, is listed, and counts no more once it is revoked', async () => {
  const first = call('a', { x: 1 }, 'session');
  const { id } = await approve('session');
  expect([await first, await call('a', { x: 2 }, 'session')]).toEqual(['approved', `remembered ${id}`]);
  const now = new Date().toISOString();
  const [listed, ...others] = store.allRemembered(now);
  expect([listed, others]).toEqual([
    expect.objectContaining({
      server: 's',
      tool: 't',
      scope: 'a',
      approval_id: id,
      decided_by: 'admin',
      via: 'console',
    }),
    [],
  ]);
  expect([await gate.forget('rem_none'), await gate.forget(listed?.id ?? ''), store.allRemembered(now)]).toEqual([
    false,
    true,
    [],
  ]);
  const asked = call('a', { x: 3 }, 'session');
  await approve('none');
  expect(await asked).toBe('approved');
});

/** Approves, for the session, a call whose client has left. */
async function approveLeft() {
  const left = call('a', { x: 1 }, 'session').catch((thrown: BinderyError) => thrown.code);
  await wait(20);
  gate.stopWaiting();
  expect(await left).toBe('APPROVAL_PENDING');
  return approve('session');
}

test('a yes for the session is listed as soon as it is given; the call that it was given to uses it once', async () => {
  const { id } = await approveLeft();
  const now = new Date().toISOString();
  expect(store.allRemembered(now).map(({ scope, approval_id }) => [scope, approval_id])).toEqual([['a', id]]);
  expect([
    await call('a', { x: 2 }, 'session'),
    await call('a', { x: 1 }, 'session'),
    store.find(id)?.status,
    await call('a', { x: 1 }, 'session'),
  ]).toEqual([`remembered ${id}`, 'approved', 'used', `remembered ${id}`]);
});

test('a yes for the session that is revoked at once lets nothing pass, not even the call that it was given to', async () => {
  const { id } = await approveLeft();
  const [listed] = store.allRemembered(new Date().toISOString());
  expect([await gate.forget(listed?.id ?? ''), store.find(id)?.status]).toEqual([true, 'expired']);
  for (const x of [1, 2]) await expect(call('a', { x }, 'session')).rejects.toMatchObject({ code: 'APPROVAL_PENDING' });
  expect(store.allRemembered(new Date().toISOString())).toEqual([]);
});

test('a no is remembered by nothing, whatever was asked for', async () => {
  const asked = call('a', { x: 1 }, 'session').catch((thrown: BinderyError) => thrown.code);
  await wait(20);
  const [question] = store.list({ status: 'pending' }, 10, 0);
  await gate.decide(question?.id ?? '', { decision: 'deny', remember: 'session', by: 'admin', via: 'console' });
  expect([await asked, store.allRemembered(new Date().toISOString())]).toEqual(['APPROVAL_DENIED', []]);
});

test('a yes for ever counts as long as policy lets it be remembered for ever [gateway:P6]', async () => {
  const first = call('a', { x: 1 }, 'always');
  await approve('always');
  expect(await first).toBe('approved');
  expect(await call('b', { y: 1 }, 'always')).toMatch(/^remembered apr_/);
  const asked = call('b', { y: 1 }, 'session');
  await approve('none');
  expect(await asked).toBe('approved');
});

test('a yes that does not ask to be remembered is one for this call alone, whatever policy lets be remembered [gateway:V2]', async () => {
  for (const remember of [undefined, 'none'] as const) {
    const first = call('a', { x: remember ?? 'unsaid' }, 'always');
    expect((await approve(remember)).session).toBe('a');
    expect(await first).toBe('approved');
    const again = call('a', { x: remember ?? 'unsaid' }, 'always');
    await approve('none');
    expect(await again).toBe('approved');
  }
});

test('one yes is for the call that has waited longest, however long that is [gateway:V2]', async () => {
  const first = call('a', { x: 1 }, 'session');
  await wait(PROXY_LIMITS.approvalLookEveryMs * 0.7);
  const second = call('b', { x: 1 }, 'session');
  // The first has looked by itself meanwhile.
  await wait(PROXY_LIMITS.approvalLookEveryMs * 0.7);
  await approve('none');
  expect(await Promise.all([first, second])).toEqual(['approved', 'asks anew']);
});

test('a call above the limit of waiting calls has to retry at once, and the others keep waiting', async () => {
  const waiting = Array.from({ length: PROXY_LIMITS.approvalWaitingMax }, (_, index) =>
    call(`s${index}`, { x: 1 }, 'session').catch((thrown: BinderyError) => thrown.code),
  );
  await wait(20);
  await expect(call('more', { x: 1 }, 'session')).rejects.toMatchObject({ code: 'APPROVAL_PENDING' });
  expect([gate.waiting, store.pendingCount()]).toEqual([PROXY_LIMITS.approvalWaitingMax, 1]);
  await approve('none');
  gate.stopWaiting();
  const outcomes = await Promise.all(waiting);
  expect([outcomes.filter((outcome) => outcome === 'approved').length, gate.waiting]).toEqual([1, 0]);
});

test('calls that wait hold no more memory than they may', async () => {
  const half = PROXY_LIMITS.approvalWaitingBytesMax / 2;
  const waiting = ['a', 'b'].map((session) => call(session, { x: 1 }, 'session', half));
  await wait(20);
  await expect(call('c', { x: 1 }, 'session', 1)).rejects.toMatchObject({ code: 'APPROVAL_PENDING' });
  await approve('none');
  expect((await Promise.all(waiting)).sort()).toEqual(['approved', 'asks anew']);
  const next = call('d', { x: 2 }, 'session', 2 * half);
  await approve('none');
  expect(await next).toBe('approved');
});
