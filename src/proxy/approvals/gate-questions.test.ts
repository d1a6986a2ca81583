import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { type Approval, argumentsSha256 } from '../../gateway/approval/approval.ts';
import { signState } from '../../gateway/approval/request-state.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { type AskedAbout, KEYS, requestWith, TestApprovals } from '../testing/test-approvals.ts';

const NOW = Date.parse('2026-11-15T00:00:00Z');
let approvals: TestApprovals;
beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  approvals = new TestApprovals();
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => vi.advanceTimersByTimeAsync(0);
const look = () => vi.advanceTimersByTimeAsync(PROXY_LIMITS.approvalLookEveryMs);
const asked = async (about: AskedAbout = {}, uses = true) => {
  const call = approvals.call(about, uses);
  await turn();
  return call;
};
const ASKABLE = { surfaces: ['client', 'console'], capabilities: { elicitation: { form: {} } } } as const;
const YES = { action: 'accept', content: { decision: 'approve' } };
const changes = (name: string) => approvals.attempts.filter((attempt) => attempt.startsWith(`${name} `));

describe('a question', () => {
  test('says everything that a person has to know, and keeps the exact arguments sealed [gateway:V6]', async () => {
    const made: { readonly id: string }[] = [];
    approvals.gate.on('asked', (approval) => made.push(approval));
    await asked({
      params: { arguments: { text: 'hi' } },
      remember: 'session',
      info: { name: 'a\u202e', version: '2' },
    });
    const digest = argumentsSha256({ text: 'hi' });
    expect(approvals.store.find('apr_1')).toEqual({
      id: 'apr_1',
      status: 'pending',
      server: 's',
      tool: 't',
      name: 's__t',
      arguments: { text: 'hi' },
      masked: [],
      arguments_sha256: digest,
      reason: 'a rule',
      rule: { file: 'p.json', line: 3, pointer: '/a' },
      caller: 'key:1',
      profile: 'default',
      session: 'session-1',
      client: { name: 'a\\u{202E}', version: '2' },
      created_at: '2026-11-15T00:00:00.000Z',
      expires_at: '2026-11-15T00:10:00.000Z',
      decided_at: null,
      decided_by: null,
      decided_via: null,
      decision_reason: null,
      remember: 'none',
      remember_allowed: 'session',
      surfaces: ['console', 'cli'],
      shown: `Allow s/t?\na rule\n{\n  "text": "hi"\n}\nDigest of the arguments: ${digest}`,
      call_id: 'call-1',
    });
    expect([approvals.store.sealed('apr_1'), made.map(({ id }) => id), approvals.created]).toEqual([
      'sealed {"text":"hi"}',
      ['apr_1'],
      ['apr_1'],
    ]);
  });

  test('about a call without arguments, session and client name shows none of them', async () => {
    await asked({ params: {}, session: undefined, info: undefined });
    const { arguments: args, arguments_sha256, session, client } = approvals.store.find('apr_1') as Approval;
    expect([args, arguments_sha256, session, client, approvals.store.sealed('apr_1')]).toEqual([
      {},
      argumentsSha256({}),
      null,
      null,
      'sealed {}',
    ]);
  });

  test('hides known secrets of the server that is called, and what may not be kept', async () => {
    approvals = new TestApprovals({
      redactor: {
        of: (server) => ({
          known: (text) => text.replaceAll(`secret of ${server}`, '***'),
          keep: (value) => ({ ...(value as object), left: 'out' }),
        }),
      },
    });
    await asked({ server: 'a', params: { arguments: { one: 'secret of a', two: 'secret of b', left: 'long' } } });
    const { arguments: args, masked } = approvals.store.find('apr_1') as Approval;
    expect([args, masked]).toEqual([{ one: '***', two: 'secret of b', left: 'out' }, ['/left', '/one']]);
  });

  test('that is already open is joined: no second question, and nothing is sealed again', async () => {
    await asked();
    await asked();
    expect([approvals.ids, changes('add'), approvals.created]).toEqual([1, ['add apr_1'], ['apr_1']]);
    // Where another node asked a moment before, this process is told so by the store alone.
    approvals.instead.current = () => undefined;
    const late = await asked();
    expect([approvals.ids, approvals.created, late.outcome, approvals.gate.waiting]).toEqual([
      2,
      ['apr_1'],
      'waits',
      3,
    ]);
    await approvals.decide('apr_1', 'approve');
    await turn();
    expect(late.outcome).toBe('used by another');
  });
});

describe('what a client carries back', () => {
  const state = (more: object = {}) => {
    const key = { caller: 'key:1', profile: 'default', server: 's', tool: 't' };
    return signState(
      { approval: 'apr_1', ...key, arguments_sha256: argumentsSha256({ x: 1 }), ...more },
      KEYS[0] as Uint8Array,
    );
  };
  const carrying = (requestState: unknown, more: AskedAbout = {}, answer?: object) =>
    asked({
      ...ASKABLE,
      era: '2026',
      ...more,
      params: {
        arguments: { x: 1 },
        requestState,
        ...(answer === undefined ? {} : { inputResponses: { bindery_approval: answer } }),
      },
    });

  test('counts only for the exact call and caller of the question [gateway:V7]', async () => {
    await carrying(undefined);
    const others = [
      { caller: 'key:2' },
      { profile: 'other' },
      { server: 'other' },
      { tool: 'other' },
      { arguments_sha256: 'other' },
    ];
    for (const other of others) {
      const { outcome, error } = await carrying(state(other), {}, YES);
      expect([other, outcome, error?.members]).toEqual([other, 'APPROVAL_MISMATCH', { approval_id: 'apr_1' }]);
    }
    const forged = await carrying(`${state()}x`, {}, YES);
    expect([forged.outcome, forged.error?.members, approvals.decided]).toEqual(['APPROVAL_MISMATCH', {}, []]);
    expect((await carrying(state(), {}, YES)).outcome).toBe('used apr_1');
  });

  test.each([
    ['as the answer', YES],
    ['inside of a result', { result: YES }],
  ])('holds the person’s word %s', async (_where, answer) => {
    const first = await carrying(undefined);
    expect([first.outcome, first.input?.result]).toEqual([
      'asked apr_1',
      {
        resultType: 'input_required',
        inputRequests: {
          bindery_approval: {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              message: expect.stringMatching(/^Allow s\/t\?/),
              requestedSchema: expect.objectContaining({ required: ['decision'] }),
            },
          },
        },
        requestState: expect.stringMatching(/^ba1\./),
      },
    ]);
    expect((await carrying(first.input?.result.requestState, {}, answer)).outcome).toBe('used apr_1');
    expect(approvals.store.find('apr_1')).toMatchObject({ decided_by: 'key:1', decided_via: 'client' });
  });

  test('without a decision leaves the call waiting for other surfaces; without an answer it is asked again', async () => {
    await carrying(undefined);
    const again = await carrying(state());
    const waits = await carrying(state(), {}, { action: 'cancel' });
    const noObject = await carrying(state(), {}, 'yes' as never);
    expect([again.outcome, waits.outcome, noObject.outcome, approvals.gate.waiting]).toEqual([
      'asked apr_1',
      'waits',
      'asked apr_1',
      1,
    ]);
  });

  test('is not needed if a person has approved elsewhere in the meantime', async () => {
    await carrying(undefined);
    await approvals.decide('apr_1', 'approve');
    expect((await carrying(undefined)).outcome).toBe('used apr_1');
  });

  test('does not answer another question than the one that it was given to', async () => {
    await carrying(undefined);
    await carrying(state(), {}, YES);
    const old = await carrying(state(), {}, YES);
    expect([old.outcome, approvals.store.find('apr_2')?.status]).toEqual(['asked apr_2', 'pending']);
  });

  test('after a denial or expiry is refused, and no person is asked again', async () => {
    await carrying(undefined);
    await approvals.decide('apr_1', 'deny', { reason: 'not now' });
    const denied = await carrying(state());
    await carrying(undefined);
    await vi.advanceTimersByTimeAsync(600_000);
    const expired = await carrying(state({ approval: 'apr_2' }));
    const unknown = await carrying(state({ approval: 'gone' }));
    expect([denied.outcome, denied.error?.detail, expired.outcome, expired.error?.members, unknown.outcome]).toEqual([
      'APPROVAL_DENIED',
      'not now',
      'APPROVAL_EXPIRED',
      { approval_id: 'apr_2' },
      'asked apr_3',
    ]);
    expect(denied.error?.members).toEqual({ approval_id: 'apr_1', approver: 'ada' });
  });

  test('brings further rounds of an approved call, each once, without another question [gateway:V1]', async () => {
    const first = await asked({}, true);
    await approvals.decide('apr_1', 'approve');
    await turn();
    const round = (call: typeof first) => call.approved?.wrapState('theirs');
    const second = await carrying(round(first), { surfaces: ['console'] });
    const twice = await carrying(round(first), { surfaces: ['console'] });
    const third = await carrying(round(second), { surfaces: ['console'] });
    expect([second.outcome, twice.outcome, twice.error?.members, third.outcome, approvals.created]).toEqual([
      'used apr_1',
      'APPROVAL_MISMATCH',
      { approval_id: 'apr_1' },
      'used apr_1',
      ['apr_1'],
    ]);
    // Two that were let pass at the same time: one of them is sent.
    const state3 = round(third);
    const both = [approvals.call({ params: { arguments: { x: 1 }, requestState: state3 } }, false)];
    both.push(approvals.call({ params: { arguments: { x: 1 }, requestState: state3 } }, false));
    await turn();
    expect([await both[0]?.approved?.use(), await both[1]?.approved?.use()]).toEqual([true, false]);
  });
});

describe('a request as its server sees it', () => {
  const key = { caller: 'c', profile: 'p', server: 's', tool: 't', arguments_sha256: 'd' };
  const ours = (upstream?: string) =>
    signState(
      { approval: 'a', ...key, ...(upstream === undefined ? {} : { upstream, round: 0 }) },
      KEYS[1] as Uint8Array,
    );
  const seen = (params: Readonly<Record<string, unknown>>) => approvals.gate.unwrap(requestWith(params));

  test('is unchanged if the state is not ours', () => {
    for (const request of [requestWith({}), requestWith({ requestState: 'theirs', inputResponses: { a: {} } })])
      expect(approvals.gate.unwrap(request)).toBe(request);
  });

  test('has neither our state nor our question, and its own state and answers back', () => {
    const answers = { bindery_approval: YES, name: { action: 'accept' } };
    const params = { name: 's__t', arguments: { x: 1 } };
    expect([
      seen({ ...params, requestState: ours('theirs'), inputResponses: answers }).params,
      seen({ ...params, requestState: ours(), inputResponses: { bindery_approval: YES } }).params,
      seen({ ...params, requestState: ours(''), inputResponses: 'none' }).params,
      seen({ ...params, requestState: `${ours('theirs')}x` }).params,
    ]).toEqual([
      { ...params, inputResponses: { name: { action: 'accept' } }, requestState: 'theirs' },
      params,
      params,
      params,
    ]);
    expect(seen({ ...params, requestState: ours() })).toMatchObject({ id: 7, method: 'tools/call', kind: 'request' });
  });
});

describe('a client that can be asked', () => {
  test('is asked only if its surface is allowed, and its answer is the decision [gateway:V6]', async () => {
    const inClient = await asked(ASKABLE);
    const elsewhere = await asked({ ...ASKABLE, surfaces: ['console'], tool: 'u' });
    const unable = await asked({ ...ASKABLE, capabilities: {}, tool: 'v' });
    expect([inClient, elsewhere, unable].map((call) => call.asked.length)).toEqual([1, 0, 0]);
    expect(inClient.asked[0]?.params).toMatchObject({
      message: expect.stringMatching(/^Allow s\/t\?/),
      requestedSchema: { required: ['decision'] },
    });
    inClient.asked[0]?.answer({ action: 'accept', content: { decision: 'approve', remember: 'always' } });
    await turn();
    // What policy does not allow to be remembered is not.
    expect([inClient.outcome, approvals.store.find('apr_1')?.remember]).toEqual(['used apr_1', 'none']);
  });

  test('leaves the question open by an answer that is none, or none at all', async () => {
    const [cancelled, gone] = [await asked(ASKABLE), await asked({ ...ASKABLE, tool: 'u' })];
    cancelled.asked[0]?.answer({ action: 'cancel' });
    gone.asked[0]?.fail();
    await look();
    expect([cancelled.outcome, gone.outcome, approvals.gate.waiting]).toEqual(['waits', 'waits', 2]);
  });

  test('is no longer asked after a decision, or after its request was cancelled', async () => {
    const [decided, cancelled] = [await asked(ASKABLE), await asked({ ...ASKABLE, tool: 'u' })];
    await approvals.decide('apr_1', 'deny');
    cancelled.signal.abort();
    await turn();
    expect([decided, cancelled].map((call) => [call.outcome, call.asked[0]?.signal.aborted])).toEqual([
      ['APPROVAL_DENIED', true],
      ['This operation was aborted', true],
    ]);
    expect(approvals.gate.waiting).toBe(0);
  });

  test('and approves after a denial elsewhere that this process does not know yet changes nothing', async () => {
    const call = await asked(ASKABLE);
    approvals.store.decide('apr_1', { decision: 'deny', by: 'bob', via: 'cli' }, new Date().toISOString());
    call.asked[0]?.answer(YES);
    await look();
    expect([call.outcome, call.error?.members]).toEqual(['APPROVAL_DENIED', { approval_id: 'apr_1', approver: 'bob' }]);
  });

  test('and whose decision cannot be stored gets the reason, and stops waiting', async () => {
    const call = await asked(ASKABLE);
    approvals.instead.decide = () => {
      throw new BinderyError('STORE_UNAVAILABLE');
    };
    call.asked[0]?.answer(YES);
    await turn();
    expect(call.outcome).toBe('STORE_UNAVAILABLE');
    await look();
    expect(approvals.gate.waiting).toBe(0);
  });
});

describe('places for questions', () => {
  const max = GATEWAY_LIMITS.approvalsPendingPerCallerMax;
  const fill = async (caller = 'key:1') => {
    const calls = [];
    for (let n = 0; n < max; n += 1) calls.push(await asked({ caller, params: { arguments: { n } } }));
    return calls;
  };
  const more = { params: { arguments: { more: true } } };

  test('are given away by those whose client has left, the longest ago first, for those that the limit counts [gateway:V8]', async () => {
    const calls = await fill();
    expect((await asked(more)).outcome).toBe('TOO_MANY_APPROVALS');
    calls[3]?.signal.abort();
    await turn();
    const cancelled = await asked(more);
    calls[5]?.leaving.abort();
    calls[7]?.leaving.abort();
    await turn();
    // Another caller has places of its own, and takes none.
    await asked({ caller: 'key:2', ...more });
    expect([cancelled.outcome, changes('withdraw')]).toEqual(['waits', ['withdraw apr_4']]);
    const left = await asked({ params: { arguments: { evenMore: true } } });
    expect([left.outcome, changes('withdraw'), approvals.decided]).toEqual([
      'waits',
      ['withdraw apr_4', 'withdraw apr_6'],
      ['apr_4 expired', 'apr_6 expired'],
    ]);
    expect([calls[5]?.outcome, calls[3]?.outcome]).toEqual(['APPROVAL_PENDING', 'This operation was aborted']);
  });

  test('are not freed for a question that could not be stored for another reason', async () => {
    const left = await asked({ caller: 'local' });
    left.leaving.abort();
    await turn();
    approvals.instead.add = () => {
      throw new BinderyError('STORE_UNAVAILABLE');
    };
    expect([(await asked({ caller: 'local', ...more })).outcome, changes('withdraw')]).toEqual([
      'STORE_UNAVAILABLE',
      [],
    ]);
  });

  test('are free if the question was decided in the meantime, here or by another process', async () => {
    const calls = await fill();
    for (const at of [0, 1]) calls[at]?.leaving.abort();
    await turn();
    await approvals.decide('apr_1', 'deny');
    expect([(await asked(more)).outcome, changes('withdraw')]).toEqual(['waits', []]);
    approvals.store.decide('apr_2', { decision: 'deny', by: 'bob', via: 'cli' }, new Date().toISOString());
    // The store still counts it for this one call.
    const { add } = approvals.store;
    let refusals = 0;
    approvals.instead.add = (...args: never[]) => {
      refusals += 1;
      if (refusals === 1) throw new BinderyError('TOO_MANY_APPROVALS', { members: { limit: 'caller' } });
      return (add as (...all: never[]) => unknown).apply(approvals.store, args);
    };
    expect([
      (await asked({ params: { arguments: { evenMore: true } } })).outcome,
      changes('withdraw'),
      approvals.decided,
    ]).toEqual(['waits', ['withdraw apr_2'], ['apr_1 denied']]);
  });

  test('of a session that ended are free; a question that others wait for, or that another failure refused, keeps its own', async () => {
    const calls = await fill();
    approvals.gate.endSession('session-1');
    expect((await asked(more)).outcome).toBe('TOO_MANY_APPROVALS');
    await vi.advanceTimersByTimeAsync(50_000);
    expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['APPROVAL_PENDING']));
    expect((await asked(more)).outcome).toBe('TOO_MANY_APPROVALS');
    approvals.gate.endSession('another');
    expect((await asked(more)).outcome).toBe('TOO_MANY_APPROVALS');
    approvals.gate.endSession('session-1');
    approvals.instead.add = () => {
      throw new BinderyError('STORE_UNAVAILABLE');
    };
    expect([(await asked(more)).outcome, changes('withdraw')]).toEqual(['STORE_UNAVAILABLE', []]);
    delete approvals.instead.add;
    expect([(await asked(more)).outcome, changes('withdraw')]).toEqual(['waits', ['withdraw apr_1']]);
  });
});
