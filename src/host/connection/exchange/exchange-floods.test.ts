import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cancellation } from '../../../contract/cancellation.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { openExchanges as open } from '../testing/open-exchanges.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => vi.advanceTimersByTimeAsync(0);
const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });

test.each([
  ['notifications', line({ method: 'notifications/x' })],
  ['lines of the log', line({ method: 'notifications/message', params: { level: 'info' } })],
  ['questions', line({ id: 'p', method: 'ping' })],
  ['answers that nobody asked for', line({ id: 9, result: {} })],
  ['noise', 'noise'],
])(
  '[wire:HOSTILE] as many %s as may come within the window are taken, and one more ends the connection',
  (_what, text) => {
    const { transport, exchanges, seen } = open();
    const bytes = Buffer.from(text);
    for (let count = 0; count < LIMITS.unaskedMessagesMax; count += 1) transport.onMessage(bytes);
    const [before, heard] = [exchanges.closed, seen.heard.length];
    transport.onMessage(bytes);
    transport.onMessage(bytes);
    expect([before, exchanges.closed, seen.closed, seen.heard.length]).toEqual([false, true, ['bad_answer'], heard]);
  },
);

test('[wire:HOSTILE] log lines above the limit are dropped, which is reported once, and they return after the window', async () => {
  const { transport, seen } = open();
  const say = (count: number) => {
    for (let at = 0; at < count; at += 1) transport.say({ method: 'notifications/message', params: { level: 'info' } });
    return seen.heard.length;
  };
  const [most, more] = [say(LIMITS.noisyMessagesMax), say(50)];
  expect([most, more, seen.heard.at(-1)]).toEqual([
    LIMITS.noisyMessagesMax,
    LIMITS.noisyMessagesMax + 1,
    expect.stringContaining('The server sent more than 1000 messages in 10 s: lines of its log are left out.'),
  ]);
  expect([transport.restMs(LIMITS.noisyFullBytes), transport.restMs(LIMITS.noisyFullBytes - 1)]).toEqual([12, 0]);
  await vi.advanceTimersByTimeAsync(LIMITS.unaskedWindowMs);
  expect([say(1), transport.restMs(LIMITS.noisyFullBytes)]).toEqual([more + 1, 0]);
});

test('[wire:HOSTILE] invalid methods and ids belong to no request, and a closed connection ignores messages', async () => {
  const { transport, seen, exchanges } = open();
  for (const odd of [{ method: 7 }, { id: {}, method: 'ping' }, { id: 'q', method: 7 }]) transport.say(odd);
  await exchanges.close();
  transport.say({ method: 'notifications/x' });
  await turn();
  expect([seen.heard, transport.sent]).toEqual([[], []]);
});

test('a request that is answered during its cancel counts as answered, and the server gets no cancel', async () => {
  const { transport, request, outcomes } = open();
  const signal = new Cancellation();
  signal.addEventListener('abort', () => transport.say({ id: 1, result: {} }));
  request(1, { signal });
  await turn();
  signal.abort();
  await turn();
  expect([outcomes, transport.methods]).toEqual([{ 1: 'result' }, ['tools/call']]);
});

test('a cancelled or lost request ends its exchange and the questions of the server', async () => {
  const asked: AbortSignal[] = [];
  const { transport, request } = open(undefined, {
    onQuestion: (_question, signal) => {
      asked.push(signal);
      return new Promise(() => {});
    },
  });
  const stop = new AbortController();
  request(1, { signal: stop.signal }, 'initialize');
  request(2);
  await turn();
  stop.abort();
  const aborted = () => [1, 2].map((id) => transport.exchanges.get(id)?.signal.aborted);
  const [first, sessions] = [aborted(), transport.sent.map(({ beginsSession }) => beginsSession)];
  transport.say({ id: 'q', method: 'roots/list' });
  transport.onClose(new UpstreamError('lost', 'gone'));
  expect([first, aborted(), asked.map((signal) => signal.aborted), sessions]).toEqual([
    [true, false],
    [true, true],
    [true],
    [true, false],
  ]);
});

test('progress extends the request with its token', async () => {
  const { transport, request, outcomes } = open();
  request(1, { timeoutMs: 50 }, 'tools/call', 11);
  request(2, { timeoutMs: 50 }, 'tools/call', 12);
  await vi.advanceTimersByTimeAsync(40);
  transport.say({ method: 'notifications/progress', params: { progressToken: 11 } });
  await vi.advanceTimersByTimeAsync(40);
  expect(outcomes).toEqual({ 1: 'pending', 2: 'timed_out' });
  await vi.advanceTimersByTimeAsync(10);
  expect(outcomes[1]).toBe('timed_out');
});

test('if two calls run on an own connection, a log line belongs to neither', async () => {
  const { transport, request, seen } = open();
  const own: number[] = [];
  for (const id of [1, 2]) request(id, { scope: 'own', onNotification: () => own.push(id) });
  transport.say({ method: 'notifications/message', params: {} });
  transport.say({ id: 2, result: {} });
  await turn();
  transport.say({ method: 'notifications/message', params: {} });
  expect([own, seen.heard.length]).toEqual([[1], 1]);
});

test('only a cancel notification withdraws a question; a question that waits for a call is asked in it, and a withdrawn one never is', async () => {
  const { transport, request } = open(undefined, { isForCall: () => true });
  const asked: unknown[] = [];
  for (const id of ['a', 'b']) transport.say({ id, method: 'roots/list' });
  transport.say({ method: 'notifications/x', params: { requestId: 'a' } });
  transport.say({ method: 'notifications/cancelled', params: { requestId: 'b' } });
  await turn();
  const call = (id: number) =>
    request(id, {
      onServerRequest: async ({ id: of }) => {
        asked.push(of);
        return {};
      },
    });
  call(1);
  await turn();
  transport.say({ id: 1, result: {} });
  await turn();
  // The next one waits for the next call.
  transport.say({ id: 'c', method: 'roots/list' });
  await turn();
  const before = [...asked];
  call(2);
  await turn();
  expect([before, asked]).toEqual([['a'], ['a', 'c']]);
});

test('replacing a session withdraws the questions of the old one, and none of the new one', async () => {
  const asked: { signal: AbortSignal; answer: () => void }[] = [];
  const { transport, exchanges } = open(undefined, {
    onQuestion: (_question, signal) =>
      new Promise((resolve) => {
        asked.push({ signal, answer: () => resolve({ kind: 'result', result: { at: asked.length } }) });
      }),
  });
  let finish = () => {};
  exchanges.renewSession = () =>
    new Promise((resolve) => {
      finish = resolve;
    });
  const ask = () => transport.say({ id: 0, method: 'roots/list' });
  ask();
  const renewing = exchanges.renew('one');
  ask();
  void exchanges.renew('one');
  finish();
  await renewing;
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  // The old question is answered late: the new one still has its number.
  asked[0]?.answer();
  await turn();
  ask();
  await turn();
  expect([asked.length, transport.sent.map(({ error }) => error?.code)]).toEqual([2, [-32603]]);
  asked[1]?.answer();
  await turn();
  expect(transport.sent.at(-1)?.result).toEqual({ at: 2 });
});
