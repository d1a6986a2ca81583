import { expect, test, vi } from 'vitest';
import type { RawRequestOptions, UpstreamError } from '../../../wire/upstream.ts';
import type { Exchange, Transport } from '../../transports/transport.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { Exchanges } from './exchanges.ts';

/** A transport on which every request has a stream of its own, as over HTTP; the test is the server. */
class Streams implements Transport {
  readonly kind = 'http';
  readonly answersOnOwnStream = true;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  /** Everything that was sent, whether or not it was answered. */
  readonly sent: { id?: number | string; method?: string; result?: object; error?: object }[] = [];
  readonly #open = new Map<number, { exchange: Exchange; end: () => void; fail: () => void }>();

  async start(): Promise<void> {}
  async close(): Promise<void> {}
  send(bytes: Uint8Array, exchange?: Exchange): Promise<void> {
    const message = JSON.parse(Buffer.from(bytes).toString());
    this.sent.push(message);
    if (exchange === undefined) return Promise.resolve();
    return new Promise((resolve, reject) =>
      this.#open.set(message.id, { exchange, end: resolve, fail: () => reject(new Error('broken')) }),
    );
  }
  /** Says something on the stream of a request; whether it was expected there. */
  sayOn(stream: number, message: object, isLast = false): boolean | undefined {
    return this.writeOn(stream, JSON.stringify({ jsonrpc: '2.0', ...message }), isLast);
  }
  writeOn(stream: number, line: string, isLast = false): boolean | undefined {
    return this.#open.get(stream)?.exchange.onMessage?.(Buffer.from(line), isLast);
  }
  fail(stream: number): void {
    this.#open.get(stream)?.fail();
  }
  end(stream: number): void {
    this.#open.get(stream)?.end();
  }
  bytesMaxOf(stream: number): number | undefined {
    return this.#open.get(stream)?.exchange.answerBytesMax;
  }
  isLeft(stream: number): boolean | undefined {
    return this.#open.get(stream)?.exchange.signal?.aborted;
  }
}

function open(
  onQuestion: ConstructorParameters<typeof Exchanges>[1]['onQuestion'] = async () => ({ kind: 'result', result: {} }),
) {
  const streams = new Streams();
  const heard: string[] = [];
  const exchanges = new Exchanges(streams, {
    era: () => '2025',
    onNotification: ({ method }) => heard.push(method),
    onQuestion,
    onClose: () => {},
    onTrouble: () => {},
  });
  const outcomes: Record<number, string> = {};
  const request = (id: number, options: RawRequestOptions = {}, progressToken?: number) => {
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'm' }));
    outcomes[id] = 'pending';
    exchanges
      .exchange(
        { bytes, id, method: 'm', ...(progressToken === undefined ? {} : { progressToken }) },
        options,
        undefined,
      )
      .then(
        ({ bytes: raw }) => {
          outcomes[id] = Buffer.from(raw).toString();
        },
        (error: UpstreamError) => {
          outcomes[id] = error.kind;
        },
      );
  };
  return { streams, exchanges, heard, outcomes, request };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const answer = (id: number, result: object = {}) => ({ id, result });
const text = (id: number, result: object = {}) => JSON.stringify({ jsonrpc: '2.0', ...answer(id, result) });

test('an answer on the stream of another request is ignored, and both requests keep waiting', async () => {
  const { streams, request, outcomes } = open();
  request(1);
  request(2);
  const isExpected = [streams.sayOn(1, answer(2, { word: 'forged' })), streams.sayOn(2, answer(7))];
  await tick();
  const before = { ...outcomes };
  isExpected.push(streams.sayOn(2, answer(2)), streams.sayOn(1, answer(1)), streams.sayOn(1, answer(1)));
  await tick();
  expect([isExpected, before, outcomes]).toEqual([
    [false, false, true, true, false],
    { 1: 'pending', 2: 'pending' },
    { 1: text(1), 2: text(2) },
  ]);
});

test('an error without an id belongs to the request of its stream; a result without an id to none', async () => {
  const { streams, request, outcomes } = open();
  request(1);
  request(2);
  const isExpected = [
    streams.sayOn(1, { id: null, result: {} }),
    streams.sayOn(1, { id: null, error: { code: -32700, message: 'what?' } }),
  ];
  await tick();
  expect([isExpected, outcomes[1]?.includes('what?'), outcomes[2]]).toEqual([[false, true], true, 'pending']);
});

test('an answer of the maximum size is accepted, and one that is a byte larger is refused', async () => {
  const { streams, request, outcomes } = open();
  const size = text(1, { x: 'xxxx' }).length;
  request(1, { answerBytesMax: size });
  request(2, { answerBytesMax: size });
  request(3);
  expect([streams.bytesMaxOf(1), streams.bytesMaxOf(3)]).toEqual([size, LIMITS.messageBytesMax]);
  streams.sayOn(1, answer(1, { x: 'xxxx' }));
  streams.sayOn(2, answer(2, { x: 'xxxxx' }));
  await tick();
  expect(outcomes).toEqual({ 1: text(1, { x: 'xxxx' }), 2: 'too_large', 3: 'pending' });
});

test('an oversized message fails only the request that it answers', async () => {
  const { streams, request, outcomes } = open();
  request(1);
  request(2);
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"result":{"x":"', '"}}'].map((part) => Buffer.from(part)) as [
    Buffer,
    Buffer,
  ];
  const known = [streams.onOversized(head, tail), streams.onOversized(Buffer.from('{"id":9,"result":"'), tail)];
  await tick();
  expect([known, outcomes]).toEqual([[true, false], { 1: 'too_large', 2: 'pending' }]);
});

test('a stream that ends without the answer fails its request', async () => {
  const { streams, request, outcomes } = open();
  request(1);
  request(2);
  streams.sayOn(2, answer(2));
  streams.end(1);
  streams.end(2);
  await tick();
  expect(outcomes).toEqual({ 1: 'bad_answer', 2: text(2) });
});

test('a non-message fails the request of its stream', async () => {
  const { streams, request, outcomes } = open();
  request(1);
  request(2);
  streams.sayOn(1, { nothing: true });
  await tick();
  expect(outcomes).toEqual({ 1: 'bad_answer', 2: 'pending' });
});

test('progress reaches the request with its token; without one it is an ordinary notification', async () => {
  const { streams, request, heard } = open();
  const seen: string[] = [];
  request(1, { onProgress: () => seen.push('first') }, 11);
  request(2, { onProgress: () => seen.push('second') });
  const progress = (progressToken: unknown) => ({ method: 'notifications/progress', params: { progressToken } });
  for (const token of [11, 12, undefined, '11']) streams.sayOn(1, progress(token));
  streams.sayOn(1, { method: 'notifications/message', params: { progressToken: 11 } });
  streams.sayOn(1, answer(1));
  streams.sayOn(1, progress(11));
  await tick();
  const passed = 'notifications/progress';
  expect([seen, heard]).toEqual([['first'], [passed, passed, passed, 'notifications/message', passed]]);
});

test('messages on a request’s stream belong to it until it is answered', async () => {
  const { streams, request, heard } = open();
  const own: string[] = [];
  request(1, { onNotification: ({ method }) => own.push(method) });
  request(2);
  const said = { method: 'notifications/message', params: {} };
  streams.sayOn(1, said);
  streams.sayOn(2, said);
  streams.sayOn(1, answer(1));
  streams.sayOn(1, said);
  await tick();
  expect([own.length, heard.length]).toEqual([1, 2]);
});

test('a question goes to the request of its stream, and a failing answer reveals nothing', async () => {
  const { streams, request } = open(() => Promise.reject(new Error('internal')));
  const fails = (thrown: unknown): RawRequestOptions => ({ onServerRequest: () => Promise.reject(thrown) });
  request(1, { onServerRequest: async ({ method }) => ({ answered: method }) });
  request(2, fails(Object.assign(new Error('not here'), { code: -32601 })));
  request(3, fails(Object.assign(new Error('disk'), { code: 'EIO' })));
  request(4, fails({ code: -32601, message: 'no error at all' }));
  request(5);
  for (const stream of [1, 2, 3, 4, 5]) streams.sayOn(stream, { id: `q${stream}`, method: 'roots/list' });
  streams.sayOn(1, { id: 'p', method: 'ping' });
  await tick();
  await tick();
  const unanswered = { code: -32603, message: 'The client could not answer' };
  const replies = streams.sent.filter(({ method }) => method === undefined);
  expect(Object.fromEntries(replies.map(({ id, result, error }) => [id, result ?? error]))).toEqual({
    p: {},
    q1: { answered: 'roots/list' },
    q2: { code: -32601, message: 'not here' },
    q3: unanswered,
    q4: unanswered,
    q5: unanswered,
  });
});

test('no request is sent between two sessions, except the handshake', async () => {
  const { streams, exchanges, request } = open();
  let begin = () => {};
  exchanges.renewSession = () => new Promise((resolve) => (begin = resolve));
  const renewed = exchanges.renew('lost');
  request(1);
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'initialize' }));
  exchanges.exchange({ bytes, id: 2, method: 'initialize' }, {}, undefined).catch(() => {});
  await tick();
  const during = streams.sent.map(({ id }) => id);
  begin();
  await renewed;
  await tick();
  expect([during, streams.sent.map(({ id }) => id)]).toEqual([[2], [2, 1]]);
});

test('messages on a stream are expected there, except answers to other requests, alone or in a batch, and after the answer', async () => {
  const { streams, request } = open();
  request(1);
  request(2);
  const batch = (...messages: object[]) => JSON.stringify(messages.map((one) => ({ jsonrpc: '2.0', ...one })));
  const question = { id: 'q', method: 'ping' };
  const expected = [
    streams.sayOn(1, { method: 'notifications/message', params: {} }),
    streams.sayOn(1, question),
    streams.writeOn(1, batch({ method: 'notifications/x' }, question)),
    streams.writeOn(1, batch({ method: 'notifications/x' }, answer(2))),
    streams.sayOn(1, answer(1)),
    streams.sayOn(1, { id: null, error: { code: -1, message: 'late' } }),
    streams.writeOn(2, 'noise'),
  ];
  await tick();
  expect(expected).toEqual([true, true, true, false, true, false, false]);
});

test('dropped log lines count as expected', () => {
  const { streams, request } = open();
  request(1);
  const lines = LIMITS.noisyMessagesMax + 100;
  const isExpected = Array.from({ length: lines }, () =>
    streams.sayOn(1, { method: 'notifications/message', params: {} }),
  );
  expect(new Set(isExpected)).toEqual(new Set([true]));
});

test('the stream of an answered request is closed after a while, unless the answer was its last message or it ends', async () => {
  vi.useFakeTimers();
  try {
    const { streams, request } = open();
    for (const id of [1, 2, 3, 4]) request(id);
    await vi.advanceTimersByTimeAsync(0);
    streams.sayOn(1, answer(1));
    streams.sayOn(2, answer(2), true);
    streams.sayOn(3, answer(3));
    streams.sayOn(4, answer(4));
    streams.end(3);
    streams.fail(4);
    await vi.advanceTimersByTimeAsync(LIMITS.streamLingerMs - 1);
    const [before, timers] = [streams.isLeft(1), vi.getTimerCount()];
    await vi.advanceTimersByTimeAsync(1);
    expect([before, timers, [1, 2, 3, 4].map((id) => streams.isLeft(id))]).toEqual([
      false,
      1,
      [true, false, false, false],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test('a notification is forwarded unchanged, or serialized again if it was repaired', async () => {
  const { streams, request } = open();
  const got: string[] = [];
  request(1, { onNotification: (_notification, bytes) => got.push(Buffer.from(bytes).toString()) });
  const [whole, bare] = [
    '{"jsonrpc":"2.0", "method":"notifications/elicitation/complete", "params":{"a":1}}',
    '{"jsonrpc":"2.0", "method":"notifications/elicitation/complete"}',
  ];
  for (const line of [whole, bare, '{"jsonrpc":"2.0", "method":"notifications/elicitation/complete", "params":[1]}'])
    streams.writeOn(1, line);
  await tick();
  expect(got).toEqual([whole, bare, '{"jsonrpc":"2.0","method":"notifications/elicitation/complete"}']);
});
