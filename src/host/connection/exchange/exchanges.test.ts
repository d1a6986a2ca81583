import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UpstreamError } from '../../../wire/upstream.ts';
import type { Exchange, Transport } from '../../transports/transport.ts';
import { Exchanges } from './exchanges.ts';

/** A pipe whose other end is the test. */
class Pipe implements Transport {
  readonly kind = 'stdio';
  readonly answersOnOwnStream = false;
  onMessage: Transport['onMessage'] = () => {};
  onOversized: Transport['onOversized'] = () => false;
  onClose: Transport['onClose'] = () => {};
  restMs: Transport['restMs'] = () => 0;
  /** What was sent last, as it was written. */
  lastText = '';
  readonly sent: { id?: number; method?: string; params?: { requestId?: number } }[] = [];

  async start(): Promise<void> {}
  async send(bytes: Uint8Array, _exchange?: Exchange): Promise<void> {
    this.lastText = Buffer.from(bytes).toString();
    this.sent.push(JSON.parse(this.lastText));
  }
  async close(): Promise<void> {}
  say(message: object): void {
    this.onMessage(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }
}

type Step =
  | { readonly do: 'request'; readonly id: number }
  | { readonly do: 'answer' | 'refuse' | 'cancel'; readonly id: number }
  | { readonly do: 'close' };

const id = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('request' as const), id }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('answer' as const, 'refuse' as const, 'cancel' as const), id }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'close' as const }) },
);

/** The naive second model: what each request, in the order of sending, must come to. */
function predict(steps: readonly Step[]): string[] {
  const outcomes: string[] = [];
  const open = new Map<number, number>();
  let closed = false;
  const settle = (which: number, outcome: string) => {
    const index = open.get(which);
    if (index === undefined) return;
    outcomes[index] = outcome;
    open.delete(which);
  };
  steps.forEach((one, at) => {
    if (one.do === 'request') {
      if (closed) outcomes.push('closed');
      else if (open.has(one.id)) outcomes.push('rpc');
      else open.set(one.id, outcomes.push('pending') - 1);
    } else if (one.do === 'answer') settle(one.id, `result ${at}`);
    else if (one.do === 'refuse') settle(one.id, 'error');
    else if (one.do === 'cancel') settle(one.id, 'cancelled');
    else {
      closed = true;
      for (const which of [...open.keys()]) settle(which, 'lost');
    }
  });
  return outcomes;
}

async function observe(steps: readonly Step[]): Promise<{ outcomes: string[]; told: number[] }> {
  const pipe = new Pipe();
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    onNotification: () => {},
    onQuestion: async () => ({ kind: 'result', result: {} }),
    onClose: () => {},
    onTrouble: () => {},
  });
  const outcomes: string[] = [];
  const cancels = new Map<number, AbortController>();
  for (const [at, one] of steps.entries()) {
    if (one.do === 'request') {
      const index = outcomes.push('pending') - 1;
      const controller = new AbortController();
      const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: one.id, method: 'm' }));
      const answer = exchanges.exchange({ bytes, id: one.id, method: 'm' }, { signal: controller.signal }, undefined);
      answer.then(
        ({ bytes: raw, envelope }) => {
          const body = JSON.parse(Buffer.from(raw).toString());
          outcomes[index] = envelope.kind === 'result' ? `result ${body.result.at}` : 'error';
        },
        (error: UpstreamError) => {
          outcomes[index] = error.kind;
        },
      );
      await tick();
      if (outcomes[index] === 'pending') cancels.set(one.id, controller);
    } else if (one.do === 'answer') pipe.say({ id: one.id, result: { at } });
    else if (one.do === 'refuse') pipe.say({ id: one.id, error: { code: -1, message: 'no' } });
    else if (one.do === 'cancel') cancels.get(one.id)?.abort();
    else pipe.onClose(new UpstreamError('lost', 'gone'));
    await tick();
  }
  const told = pipe.sent.filter(({ method }) => method === 'notifications/cancelled');
  return { outcomes, told: told.map(({ params }) => params?.requestId ?? -1) };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('each request settles once with its own answer, error, cancel or loss, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { outcomes, told } = await observe(steps);
      expect(outcomes).toEqual(predict(steps));
      expect(told.length).toBe(outcomes.filter((outcome) => outcome === 'cancelled').length);
    }),
    { numRuns: 200 },
  );
});

test('a server that floods the connection with unsolicited answers is disconnected', async () => {
  const pipe = new Pipe();
  let lost: UpstreamError | undefined;
  new Exchanges(pipe, {
    era: () => '2025',
    onNotification: () => {},
    onQuestion: async () => ({ kind: 'result', result: {} }),
    onClose: (error) => {
      lost = error;
    },
    onTrouble: () => {},
  });
  for (let i = 0; i <= 20_000; i++) pipe.say({ id: i, result: {} });
  expect(lost?.message).toBe('the server floods the connection with messages that nobody asked for');
});

test('a new session may reuse the ids of questions', async () => {
  const pipe = new Pipe();
  const asked: AbortSignal[] = [];
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    onNotification: () => {},
    onQuestion: (_question, signal) => {
      asked.push(signal);
      return asked.length === 1 ? new Promise(() => {}) : Promise.resolve({ kind: 'result', result: { word: 'yes' } });
    },
    onClose: () => {},
    onTrouble: () => {},
  });
  exchanges.renewSession = async () => {};
  pipe.say({ id: 0, method: 'elicitation/create', params: {} });
  await exchanges.renew('the lost one');
  pipe.say({ id: 0, method: 'elicitation/create', params: {} });
  await new Promise((resolve) => setImmediate(resolve));
  expect([asked.map(({ aborted }) => aborted), pipe.sent]).toEqual([
    [true, false],
    [{ jsonrpc: '2.0', id: 0, result: { word: 'yes' } }],
  ]);
});

test('[wire:HOSTILE] a server that sends a thousand unsolicited messages is throttled from then on, if there is more to read', () => {
  const pipe = new Pipe();
  const heard: string[] = [];
  new Exchanges(pipe, {
    era: () => '2025',
    onNotification: ({ method }) => heard.push(method),
    onQuestion: async () => ({ kind: 'result', result: {} }),
    onClose: () => {},
    onTrouble: () => {},
  });
  const restsAfter = (messages: number) => {
    while (heard.length < messages) pipe.say({ method: 'notifications/message', params: {} });
    return [pipe.restMs(64 * 1024), pipe.restMs(100)];
  };
  expect([restsAfter(1_000), restsAfter(1_001)]).toEqual([
    [0, 0],
    [12, 0],
  ]);
});

test('[wire:HOSTILE] after a thousand unsolicited messages log lines are dropped, one line says so, and all messages count', async () => {
  const pipe = new Pipe();
  const heard: string[] = [];
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    onNotification: ({ method, params }) => heard.push(`${method} ${params?.logger ?? params?.n ?? params?.uri}`),
    onQuestion: async () => ({ kind: 'result', result: {} }),
    onClose: () => {},
    onTrouble: () => {},
  });
  for (let n = 1; n <= 2_000; n += 1) pipe.say({ method: 'notifications/message', params: { level: 'info', n } });
  pipe.say({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
  const isKept = !exchanges.closed;
  for (let n = 0; n < 10_000; n += 1) pipe.say({ method: 'notifications/message', params: { level: 'info' } });
  expect([heard.length, heard.slice(999), isKept, exchanges.closed]).toEqual([
    1_002,
    ['notifications/message 1000', 'notifications/message bindery', 'notifications/resources/updated a:b'],
    true,
    true,
  ]);
});

test.each(['9007199254740993', '-9007199254740993', '1.0', '1e2', '"\\u0061"'])(
  'a question with the id %s is answered with the same bytes',
  async (id) => {
    const pipe = new Pipe();
    new Exchanges(pipe, {
      era: () => '2025',
      onNotification: () => {},
      onQuestion: async () => ({ kind: 'result', result: { roots: [] } }),
      onClose: () => {},
      onTrouble: () => {},
    });
    pipe.onMessage(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"roots/list"}`));
    await tick();
    expect(pipe.lastText).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}`);
  },
);

test('[wire:HOSTILE] a reply that is nested too deeply to serialize becomes an error for the server', async () => {
  const pipe = new Pipe();
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  new Exchanges(pipe, {
    era: () => '2025',
    onNotification: () => {},
    onQuestion: async () => ({ kind: 'result', result: { action: 'accept', content: { deep } } }),
    onClose: () => {},
    onTrouble: () => {},
  });
  pipe.say({ id: 'q1', method: 'elicitation/create', params: {} });
  await tick();
  expect(pipe.sent).toEqual([
    { jsonrpc: '2.0', id: 'q1', error: { code: -32603, message: 'The client could not answer' } },
  ]);
});

test('a log line without a stream belongs to the only call of an own connection; a shared one takes no question', async () => {
  const pipe = new Pipe();
  const unbound: string[] = [];
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    onNotification: ({ method }) => unbound.push(method),
    onQuestion: async () => ({ kind: 'error', code: -32601, message: 'nobody' }),
    onClose: () => {},
    onTrouble: () => {},
  });
  const heard: number[] = [];
  const asked: number[] = [];
  const begin = (which: number, scope: 'own' | 'shared' | undefined) =>
    exchanges.exchange(
      { id: which, method: 'tools/call', bytes: Buffer.from('{}') },
      {
        scope,
        onNotification: () => heard.push(which),
        onServerRequest: async () => {
          asked.push(which);
          return {};
        },
      },
      undefined,
    );
  const log = () => pipe.say({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
  const ask = (question: string) => pipe.say({ id: question, method: 'roots/list' });
  const shared = begin(1, 'shared');
  log();
  ask('a');
  pipe.say({ id: 1, result: {} });
  await shared;
  const own = begin(2, 'own');
  log();
  ask('b');
  pipe.say({ method: 'notifications/tools/list_changed' });
  pipe.say({ id: 2, result: {} });
  await own;
  expect({ heard, asked, unbound }).toEqual({
    heard: [2],
    asked: [2],
    unbound: ['notifications/message', 'notifications/tools/list_changed'],
  });
});

test('a connection has abandoned calls while a cancelled call is unanswered, whether it asked something or not', async () => {
  const pipe = new Pipe();
  let idle = 0;
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    onNotification: () => {},
    onQuestion: async () => ({ kind: 'result', result: {} }),
    onClose: () => {},
    onTrouble: () => {},
    onIdle: () => {
      idle += 1;
    },
  });
  const giveUp = async (which: number, asks: boolean) => {
    const stop = new AbortController();
    const request = { id: which, method: 'tools/call', bytes: Buffer.from('{}') };
    const call = exchanges.exchange(request, { signal: stop.signal, onServerRequest: async () => ({}) }, undefined);
    const isCalling = exchanges.isCalling;
    if (asks) pipe.say({ id: `q${which}`, method: 'roots/list' });
    stop.abort();
    await expect(call).rejects.toMatchObject({ kind: 'cancelled' });
    return [isCalling, exchanges.isCalling, exchanges.hasAbandonedCalls];
  };
  const silent = await giveUp(1, false);
  pipe.say({ id: 1, result: {} });
  const isOver = exchanges.hasAbandonedCalls;
  const asking = await giveUp(2, true);
  pipe.say({ id: 2, result: {} });
  const abandoned = [true, false, true];
  expect([silent, isOver, asking, exchanges.hasAbandonedCalls, idle]).toEqual([abandoned, false, abandoned, false, 2]);
});

test('a question after the last call is refused and counts as an abandoned call; one at the start does not', async () => {
  const pipe = new Pipe();
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    onNotification: () => {},
    onQuestion: async () => ({ kind: 'error', code: -32601, message: 'nobody' }),
    onClose: () => {},
    onTrouble: () => {},
  });
  pipe.say({ id: 'early', method: 'roots/list' });
  const atStart = exchanges.hasAbandonedCalls;
  const request = { id: 1, method: 'tools/call', bytes: Buffer.from('{"id":1}') };
  const call = exchanges.exchange(request, { scope: 'own', onServerRequest: async () => ({}) }, undefined);
  pipe.say({ id: 'during', method: 'elicitation/create' });
  pipe.say({ id: 1, result: {} });
  await call;
  const afterCall = exchanges.hasAbandonedCalls;
  pipe.say({ id: 'late', method: 'elicitation/create' });
  await tick();
  expect([atStart, afterCall, exchanges.hasAbandonedCalls]).toEqual([false, false, true]);
  expect(pipe.sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 'late', error: { code: -32601, message: 'nobody' } });
});

test('a question that waits for a call goes to the next one, unless the server withdraws it', async () => {
  const pipe = new Pipe();
  const exchanges = new Exchanges(pipe, {
    era: () => '2025',
    isForCall: ({ method }) => method === 'roots/list',
    onNotification: () => {},
    onQuestion: async () => ({ kind: 'error', code: -32601, message: 'nobody' }),
    onClose: () => {},
    onTrouble: () => {},
  });
  pipe.say({ id: 'early', method: 'roots/list' });
  pipe.say({ id: 'withdrawn', method: 'roots/list' });
  pipe.say({ id: 'other', method: 'sampling/createMessage' });
  pipe.say({ method: 'notifications/cancelled', params: { requestId: 'withdrawn' } });
  await tick();
  const request = { id: 1, method: 'tools/call', bytes: Buffer.from('{"id":1}') };
  const call = exchanges.exchange(request, { scope: 'own', onServerRequest: async () => ({ roots: [] }) }, undefined);
  await tick();
  pipe.say({ id: 1, result: {} });
  await call;
  expect(pipe.sent).toEqual([
    { jsonrpc: '2.0', id: 'other', error: { code: -32601, message: 'nobody' } },
    { id: 1 },
    { jsonrpc: '2.0', id: 'early', result: { roots: [] } },
  ]);
});
