import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WIRE_LIMITS } from '../../../wire/limits.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { SessionLost } from '../../transports/streamable-http.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { openExchanges as open } from '../testing/open-exchanges.ts';
import { toUpstreamError } from './exchanges.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => vi.advanceTimersByTimeAsync(0);

test('housekeeping does not count as use of the server, and lists do not count as calls', async () => {
  const { exchanges, request, transport, seen } = open();
  const began = exchanges.lastUsedAt;
  const use = async (method: string) => {
    await vi.advanceTimersByTimeAsync(10);
    const before = exchanges.lastUsedAt;
    request(1, {}, method);
    const [isUsed, isCalling, isBusy] = [exchanges.lastUsedAt > before, exchanges.isCalling, exchanges.busy];
    await vi.advanceTimersByTimeAsync(5);
    const asked = exchanges.lastUsedAt;
    transport.say({ id: 1, result: {} });
    await turn();
    return [isUsed, exchanges.lastUsedAt > asked, isCalling, isBusy, exchanges.busy];
  };
  const calls: Record<string, unknown> = {};
  const all = [
    'ping',
    'server/discover',
    'subscriptions/listen',
    'initialize',
    'tools/list',
    'prompts/list',
    'resources/list',
  ];
  for (const method of [
    ...all,
    'resources/templates/list',
    'resources/subscribe',
    'resources/unsubscribe',
    'logging/setLevel',
  ])
    calls[method] = await use(method);
  const idle = seen.idle;
  calls['tools/call'] = await use('tools/call');
  const [housekeeping, other] = [
    [false, false, false, true, false],
    [true, true, false, true, false],
  ];
  expect([calls, idle, seen.idle, began <= exchanges.lastUsedAt]).toEqual([
    {
      ...Object.fromEntries(Object.keys(calls).map((method) => [method, other])),
      ...{ ping: housekeeping, 'server/discover': housekeeping, 'subscriptions/listen': housekeeping },
      'tools/call': [true, true, true, true, false],
    },
    0,
    1,
    true,
  ]);
});

test('a request without a deadline does not make the connection busy, and the last of several calls makes it idle', async () => {
  const { exchanges, request, transport, seen } = open();
  request(1, { timeoutMs: Number.POSITIVE_INFINITY }, 'subscriptions/listen');
  expect([exchanges.busy, exchanges.isPending(1), exchanges.isPending(2)]).toEqual([false, true, false]);
  request(2, { timeoutMs: 1_000 });
  request(3);
  expect(exchanges.busy).toBe(true);
  transport.say({ id: 2, result: {} });
  await turn();
  const between = seen.idle;
  transport.say({ id: 3, result: {} });
  await turn();
  expect([between, seen.idle, exchanges.isCalling]).toEqual([0, 1, false]);
});

test('a request is cancelled by its client or its deadline, the server gets the reason, and nothing is left', async () => {
  const { exchanges, request, transport, outcomes } = open();
  const stop = new AbortController();
  request(1, { signal: stop.signal }, 'tools/call', 11);
  request(2, { timeoutMs: 50 });
  request(3, { signal: AbortSignal.abort() });
  await turn();
  stop.abort();
  await vi.advanceTimersByTimeAsync(50);
  const told = transport.sent.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params);
  expect([outcomes, told, exchanges.busy]).toEqual([
    { 1: 'cancelled', 2: 'timed_out', 3: 'cancelled' },
    [
      { requestId: 1, reason: 'cancelled' },
      { requestId: 2, reason: 'timed out' },
    ],
    false,
  ]);
  expect(transport.sent.filter(({ method }) => method === 'tools/call').map(({ id }) => id)).toEqual([1, 2]);
  expect([transport.sent[0]?.headers, vi.getTimerCount()]).toEqual([{ h: '1' }, 0]);
});

test('a 2026 HTTP server sees a cancel by the closed stream, and an aborted handshake is not notified', async () => {
  const told = async (era: '2025' | '2026', kind: 'stdio' | 'http', method: string) => {
    const { request, transport } = open(() => undefined, { era: () => era }, kind);
    const stop = new AbortController();
    request(1, { signal: stop.signal }, method);
    stop.abort();
    await turn();
    return transport.methods.includes('notifications/cancelled');
  };
  expect([
    await told('2026', 'http', 'tools/call'),
    await told('2026', 'stdio', 'tools/call'),
    await told('2025', 'http', 'tools/call'),
    await told('2025', 'stdio', 'initialize'),
    await told('2026', 'stdio', 'server/discover'),
  ]).toEqual([false, true, true, false, false]);
});

test('a closed connection rejects everything, ends running requests and reports nothing; a lost one is reported once', async () => {
  const { exchanges, request, transport, outcomes, seen } = open();
  request(1);
  await exchanges.close();
  await exchanges.close();
  request(2);
  await turn();
  await expect(exchanges.notify({ method: 'x' })).rejects.toMatchObject({ kind: 'closed' });
  transport.onClose(new UpstreamError('lost', 'late'));
  transport.say({ id: 'q', method: 'ping' });
  await turn();
  expect([outcomes, seen.closed, transport.closes, transport.methods]).toEqual([
    { 1: 'closed', 2: 'closed' },
    [],
    1,
    ['tools/call'],
  ]);
  const lost = open();
  lost.request(1);
  lost.transport.onClose(new UpstreamError('lost', 'gone'));
  lost.transport.onClose(new UpstreamError('lost', 'gone again'));
  await turn();
  expect([lost.outcomes, lost.seen.closed, lost.exchanges.closed]).toEqual([{ 1: 'lost' }, ['lost'], true]);
});

test('a failing send fails the request, and one that affects the whole server is reported', async () => {
  const failing = async (thrown: unknown) => {
    const { request, outcomes, seen } = open(() => {
      throw thrown;
    });
    request(1);
    await turn();
    return [outcomes[1], seen.trouble];
  };
  const error = (kind: 'refused' | 'lost' | 'auth' | 'http' | 'timed_out') => failing(new UpstreamError(kind, kind));
  expect([
    await error('refused'),
    await error('lost'),
    await error('auth'),
    await error('http'),
    await failing(new TypeError('socket')),
    await failing(new DOMException('x', 'AbortError')),
  ]).toEqual([
    ['refused', ['refused']],
    ['lost', ['lost']],
    ['auth', ['auth']],
    ['http', []],
    ['lost', ['lost']],
    ['cancelled', []],
  ]);
  expect([toUpstreamError('text').kind, toUpstreamError(new Error('x')).cause]).toMatchObject([
    'lost',
    { message: 'x' },
  ]);
});

test('a lost session is replaced once for all requests that found it lost, and each request is retried once', async () => {
  const { exchanges, request, outcomes, transport } = open(() => {
    if (!isRenewed || losesAgain) throw new SessionLost('one');
    return {};
  });
  let [isRenewed, losesAgain, renewals] = [false, false, 0];
  request(9);
  await turn();
  expect(outcomes[9]).toBe('lost');
  exchanges.renewSession = async (lost) => {
    renewals += 1;
    expect(lost).toBe('one');
    await new Promise((resolve) => setTimeout(resolve, 5));
    isRenewed = true;
  };
  request(1);
  request(2);
  await vi.advanceTimersByTimeAsync(5);
  expect([outcomes, renewals, transport.sent.filter(({ id }) => id === 1).length]).toEqual([
    { 9: 'lost', 1: 'result', 2: 'result' },
    1,
    2,
  ]);
  losesAgain = true;
  request(3);
  await vi.advanceTimersByTimeAsync(10);
  expect([outcomes[3], transport.sent.filter(({ id }) => id === 3).length, renewals]).toEqual(['lost', 2, 2]);
});

test('if a session cannot be replaced, the connection is lost, and waiting requests fail', async () => {
  const { exchanges, request, outcomes, seen, transport } = open(() => {
    throw new SessionLost('one');
  });
  exchanges.renewSession = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    throw new UpstreamError('refused', 'it is gone');
  };
  request(1);
  await turn();
  request(2);
  await vi.advanceTimersByTimeAsync(5);
  expect([outcomes, seen.closed, exchanges.closed, transport.closes]).toEqual([
    { 1: 'refused', 2: 'closed' },
    ['refused'],
    true,
    1,
  ]);
  exchanges.renew('one').catch(() => {});
  await vi.advanceTimersByTimeAsync(5);
  expect([seen.closed.length, transport.closes]).toEqual([1, 1]);
});

test('a batch is split, an unknown answer in it is reported as such, and a non-message belongs to no request', async () => {
  const { transport, request, outcomes, seen } = open();
  request(1);
  request(2);
  const batch = [{ id: 1, result: {} }, { method: 'notifications/x' }, { id: 2, error: { code: -1, message: 'm' } }];
  transport.onMessage(Buffer.from(JSON.stringify(batch.map((one) => ({ jsonrpc: '2.0', ...one })))));
  transport.onMessage(Buffer.from('noise'));
  await turn();
  expect([outcomes, seen.heard]).toEqual([{ 1: 'result', 2: 'error' }, ['notifications/x']]);
});

test('a time-out tells what the server printed in place of the answer', async () => {
  const { transport, exchanges } = open();
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
  const failed = exchanges.exchange({ bytes, id: 1, method: 'tools/call' }, { timeoutMs: 10 }, {}).catch(String);
  Object.assign(transport, { noise: 'NOT JSON {{{' });
  await vi.advanceTimersByTimeAsync(20);
  expect(await failed).toMatch(/did not answer tools\/call .*; it printed a line that is not MCP: NOT JSON \{\{\{$/);
});

test('an answer that nests too deeply fails its request, a question is refused, a notification is dropped', async () => {
  const { transport, request, outcomes, seen } = open();
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const say = (rest: string) => transport.onMessage(Buffer.from(`{"jsonrpc":"2.0",${rest}}`));
  const { messageDepthMax } = WIRE_LIMITS;
  for (const id of [1, 2, 3]) request(id);
  say(`"id":1,"result":{"structuredContent":${nested(messageDepthMax)}}`);
  say(`"id":2,"result":{"structuredContent":${nested(messageDepthMax + 1)}}`);
  say(`"id":3,"error":{"code":1,"message":"m","data":${nested(500_000)}}`);
  say(`"method":"notifications/x","params":${nested(messageDepthMax + 1)}`);
  say(`"id":"q","method":"roots/list","params":${nested(messageDepthMax + 1)}`);
  await turn();
  expect([outcomes, seen.heard]).toEqual([{ 1: 'result', 2: 'bad_answer', 3: 'bad_answer' }, []]);
  expect(transport.sent.at(-1)).toMatchObject({ id: 'q', error: { code: -32600 } });
});

test('members of `_meta` that only Bindery writes are removed from answers, notifications and questions', async () => {
  const asked: unknown[] = [];
  const { transport, exchanges, seen } = open(undefined, {
    onQuestion: async ({ params }) => {
      asked.push(params);
      return { kind: 'result', result: {} };
    },
  });
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
  const answered = exchanges.exchange({ bytes, id: 1, method: 'tools/call' }, {}, {});
  const _meta = { 'bindery/error': { code: 'POLICY_DENIED' }, own: 1 };
  transport.say({ method: 'notifications/x', params: { _meta } });
  transport.say({ id: 'q', method: 'roots/list', params: { _meta } });
  transport.say({ id: 1, result: { content: [], _meta } });
  const answer = Buffer.from((await answered).bytes).toString();
  expect([answer, seen.heard, asked]).toEqual([
    '{"jsonrpc":"2.0","id":1,"result":{"content":[],"_meta":{"own":1}}}',
    ['notifications/x {"_meta":{"own":1}}'],
    [{ _meta: { own: 1 } }],
  ]);
});

test('malformed parameters are left out of a forwarded notification; a withdrawn question is not answered', async () => {
  const answers: ((reply: { kind: 'result'; result: object }) => void)[] = [];
  const { transport, seen } = open(undefined, {
    onQuestion: () => new Promise((resolve) => void answers.push(resolve as never)),
  });
  transport.onMessage(Buffer.from('{"jsonrpc":"2.0","method":"notifications/a","params":[1]}'));
  transport.say({ method: 'notifications/b', params: { x: 1 } });
  transport.say({ id: 'q1', method: 'roots/list' });
  transport.say({ id: 'q2', method: 'roots/list' });
  transport.say({ method: 'notifications/cancelled', params: { requestId: 'q1' } });
  for (const answer of answers) answer({ kind: 'result', result: { roots: [] } });
  await turn();
  expect([seen.heard.slice(0, 2), transport.sent]).toMatchObject([
    ['notifications/a', 'notifications/b {"x":1}'],
    [{ id: 'q2', result: { roots: [] } }],
  ]);
});

test('the number of simultaneous questions is limited, and an id in use is refused', async () => {
  const { transport } = open(undefined, { onQuestion: () => new Promise(() => {}) });
  for (let at = 0; at < LIMITS.questionsMax; at += 1) transport.say({ id: `q${at}`, method: 'roots/list' });
  await turn();
  const before = transport.sent.length;
  transport.say({ id: 'one more', method: 'roots/list' });
  transport.say({ id: 'p', method: 'ping' });
  await turn();
  const few = open(undefined, { onQuestion: () => new Promise(() => {}) });
  few.transport.say({ id: 'same', method: 'roots/list' });
  few.transport.say({ id: 'same', method: 'roots/list' });
  await turn();
  expect([before, transport.sent.map(({ id, error }) => [id, error?.code]), few.transport.sent.length]).toEqual([
    0,
    [
      ['one more', -32603],
      ['p', undefined],
    ],
    1,
  ]);
});

test('an answered question frees its slot, and deadlines of calls pause while a person is asked', async () => {
  const { transport, request, outcomes } = open();
  let answer = () => {};
  request(1, {
    timeoutMs: 50,
    onServerRequest: () =>
      new Promise((resolve) => {
        answer = () => resolve({ ok: true });
      }),
  });
  for (let round = 0; round < LIMITS.questionsMax + 1; round += 1) {
    transport.say({ id: 'q', method: 'roots/list' });
    await vi.advanceTimersByTimeAsync(60);
    answer();
    await turn();
  }
  const results = transport.sent.filter(({ id }) => id === 'q').map(({ result }) => result);
  expect([outcomes[1], results.length, new Set(results.map((one) => JSON.stringify(one)))]).toEqual([
    'pending',
    LIMITS.questionsMax + 1,
    new Set(['{"ok":true}']),
  ]);
  await vi.advanceTimersByTimeAsync(60);
  expect(outcomes[1]).toBe('timed_out');
});

test('an upstream error is passed to the server that asked, other errors are not', async () => {
  const asked = async (thrown: unknown) => {
    const { transport, request } = open();
    request(1, { onServerRequest: () => Promise.reject(thrown) });
    transport.say({ id: 'q', method: 'roots/list' });
    await turn();
    return transport.sent.find(({ id }) => id === 'q')?.error;
  };
  const unanswered = { code: -32603, message: 'The client could not answer' };
  expect([
    await asked(new UpstreamError('rpc', 'x', { rpc: { code: -7, message: 'theirs' } })),
    await asked(new UpstreamError('lost', 'x')),
    await asked(undefined),
  ]).toEqual([{ code: -7, message: 'theirs' }, unanswered, unanswered]);
});

test('the number of remembered abandoned calls is limited', async () => {
  const { transport, exchanges } = open();
  const forsake = async (id: number) => {
    const stop = new AbortController();
    const call = exchanges.exchange(
      { id, method: 'tools/call', bytes: Buffer.from(`{"id":${id}}`) },
      { signal: stop.signal, onServerRequest: async () => ({}) },
      undefined,
    );
    transport.say({ id: `q${id}`, method: 'roots/list' });
    stop.abort();
    await call.catch(() => {});
  };
  for (let id = 1; id <= LIMITS.abandonedCallsMax + 1; id += 1) await forsake(id);
  for (let id = 1; id <= LIMITS.abandonedCallsMax; id += 1) transport.say({ id, result: {} });
  expect(exchanges.hasAbandonedCalls).toBe(false);
});
