import { expect, test } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import { LIMITER_DEFAULTS } from '../testing/limiter-defaults.ts';
import { type LimitedTool, ServerLimiter } from './server-limiter.ts';

const signal = new AbortController().signal;
const openGuard = (more: Partial<typeof LIMITER_DEFAULTS> & { toolBreakers?: ReadonlySet<string> } = {}) =>
  new ServerLimiter({ now: () => 0 }, { ...LIMITER_DEFAULTS, ...more });
const free: LimitedTool = { tool: 'free', concurrencyMax: undefined };
const single: LimitedTool = { tool: 'single', concurrencyMax: 1 };
const turn = () => new Promise(setImmediate);

test('a limit of policy is one of its tool, whatever else runs at the server [gateway:P7]', async () => {
  const limiter = openGuard();
  limiter.acquire(free, signal);
  expect(limiter.acquire(single, signal)).toBeUndefined();
  let isIn = false;
  limiter.acquire(single, signal)?.then(() => {
    isIn = true;
  });
  limiter.release(free, 'answered');
  await turn();
  expect(isIn).toBe(false);
  limiter.release(single, 'answered');
  await turn();
  expect(isIn).toBe(true);
});

test('a tool at its limit blocks no other, and waiting calls start when the limit is raised', async () => {
  const limiter = openGuard({ concurrencyMax: 2 });
  const entered: string[] = [];
  const enter = (of: LimitedTool, name: string) => void limiter.acquire(of, signal)?.then(() => entered.push(name));
  limiter.acquire(single, signal);
  limiter.acquire(free, signal);
  enter(single, 'single');
  enter(free, 'free');
  limiter.release(free, 'answered');
  await turn();
  expect(entered).toEqual(['free']);
  enter(free, 'more');
  limiter.configure({ ...LIMITER_DEFAULTS, concurrencyMax: 3 });
  await turn();
  expect(entered).toEqual(['free', 'more']);
});

test('a call that the server already runs continues at once, however many wait, and releases its slot', async () => {
  const limiter = openGuard({ concurrencyMax: 1 });
  limiter.acquire(free, signal);
  let isIn = false;
  limiter.acquire(free, signal)?.then(() => {
    isIn = true;
  });
  limiter.acquireNow(free);
  expect([limiter.running, limiter.queued]).toEqual([2, 1]);
  limiter.release(free, 'answered');
  await turn();
  expect([isIn, limiter.running]).toEqual([false, 1]);
  limiter.release(free, 'answered');
  await turn();
  expect([isIn, limiter.running]).toEqual([true, 1]);
});

test('callers that wait take turns, however many calls one of them has', async () => {
  const limiter = openGuard({ concurrencyMax: 1 });
  const entered: string[] = [];
  const running = [free];
  const by = (caller: string, session: string): LimitedTool => ({
    ...free,
    client: { caller, session, info: undefined },
  });
  const enter = (of: LimitedTool, name: string) =>
    void limiter.acquire(of, signal)?.then(() => {
      entered.push(name);
      running.push(of);
    });
  limiter.acquire(free, signal);
  for (let call = 1; call <= 4; call += 1) enter(by('key', `s${call}`), `greedy ${call}`);
  enter(by('local', 'a'), 'a');
  enter(by('local', 'b'), 'b 1');
  enter(by('local', 'b'), 'b 2');
  for (let call = 0; call < 7; call += 1) {
    limiter.release(running.shift() as LimitedTool, 'answered');
    await turn();
  }
  expect(entered).toEqual(['greedy 1', 'a', 'b 1', 'greedy 2', 'b 2', 'greedy 3', 'greedy 4']);
});

test('waiting calls are interrupted when the gateway shuts down', async () => {
  const limiter = openGuard({ concurrencyMax: 1 });
  limiter.acquire(free, signal);
  const waiting = limiter.acquire(free, signal);
  expect(limiter.queued).toBe(1);
  limiter.refuseQueued();
  await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect([limiter.running, limiter.queued]).toEqual([1, 0]);
});

test('for random calls and cancellations no limit is exceeded, calls of a tool stay in order, and none is left waiting', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const dice = new Dice(seed);
    const concurrencyMax = dice.below(4) + 1;
    const limiter = openGuard({ concurrencyMax, queueMax: 1_000 });
    const tools = [free, single, { tool: 'pair', concurrencyMax: 2 }];
    const running: LimitedTool[] = [];
    const asked: { of: LimitedTool; number: number; cancel: AbortController; isIn: boolean }[] = [];
    const enterOrder = new Map<string, number[]>();
    const note = (call: (typeof asked)[number]) => {
      call.isIn = true;
      running.push(call.of);
      enterOrder.set(call.of.tool, [...(enterOrder.get(call.of.tool) ?? []), call.number]);
    };
    const check = () => {
      expect(running.length).toBeLessThanOrEqual(concurrencyMax);
      for (const { tool, concurrencyMax: max = 99 } of tools)
        expect(running.filter((of) => of.tool === tool).length).toBeLessThanOrEqual(max);
    };
    for (let step = 0; step < 40; step += 1) {
      const cancel = new AbortController();
      const call = { of: tools[dice.below(3)] as LimitedTool, number: step, cancel, isIn: false };
      const entering = limiter.acquire(call.of, cancel.signal);
      if (entering) {
        asked.push(call);
        entering.then(() => note(call)).catch(() => {});
      } else note(call);
      const waiting = asked.filter(({ isIn, cancel: { signal: by } }) => !isIn && !by.aborted);
      if (dice.below(6) === 0) waiting[dice.below(Math.max(1, waiting.length))]?.cancel.abort(new Error('gone'));
      if (dice.below(2) === 0 && running.length > 0)
        limiter.release(running.splice(dice.below(running.length), 1)[0] as LimitedTool, 'answered');
      await Promise.resolve();
      await Promise.resolve();
      check();
    }
    while (running.length > 0) {
      limiter.release(running.shift() as LimitedTool, 'answered');
      await turn();
      check();
    }
    expect(asked.filter(({ isIn, cancel }) => !isIn && !cancel.signal.aborted)).toEqual([]);
    for (const numbers of enterOrder.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(limiter.running).toBe(0);
  }
});

test('a tool with a breaker of its own does not open the one of its server, nor the other way round [gateway:M2]', () => {
  const limiter = openGuard({ toolBreakers: new Set(['flaky']) });
  const flaky: LimitedTool = { tool: 'flaky', concurrencyMax: undefined };
  const fail = (of: LimitedTool) => {
    limiter.acquire(of, signal);
    limiter.release(of, 'failed', 'refused');
  };
  for (let count = 0; count < 5; count += 1) fail(flaky);
  expect(() => limiter.checkBreaker(flaky)).toThrow('Circuit breaker open');
  limiter.checkBreaker(free);
  expect(limiter.breaker()).toMatchObject({ state: 'closed', failures: 0 });
  limiter.reset();
  limiter.checkBreaker(flaky);
  for (let count = 0; count < 5; count += 1) fail(free);
  expect(() => limiter.checkBreaker(free)).toThrow();
  limiter.checkBreaker(flaky);
});

test('failures of one client’s own process count once; those of several clients, or of what all share, open the breaker', () => {
  const outcome = (lessees: readonly (string | undefined)[]) => {
    const limiter = openGuard();
    for (const lessee of lessees) {
      limiter.acquire(free, signal);
      limiter.release(free, 'failed', 'it crashed', lessee);
    }
    return [limiter.breaker().state, limiter.breaker().failures, limiter.lastFailure];
  };
  const mended = openGuard();
  for (const again of [false, true]) {
    if (again) mended.reset();
    mended.acquire(free, signal);
    mended.release(free, 'failed', 'it crashed', 'ann');
    // Whoever said that the server is well hears of the next failure, whose ever it is.
    expect(mended.breaker().failures).toBe(1);
  }
  expect([
    outcome(['ann', 'ann', 'ann', 'ann', 'ann', 'ann']),
    outcome(['ann', 'bob', 'ann', 'bob', 'ann']),
    outcome([undefined, undefined, undefined, undefined, undefined]),
    outcome(['ann', undefined, 'ann', 'ann']),
  ]).toEqual([
    ['closed', 1, 'it crashed'],
    ['open', 5, 'it crashed'],
    ['open', 5, 'it crashed'],
    ['closed', 3, 'it crashed'],
  ]);
});

const keyed = (caller: string): LimitedTool => ({ ...free, client: { caller, session: undefined, info: undefined } });

test('a caller with a key leaves a quarter of the slots and of the queue to others', async () => {
  const limiter = openGuard({ concurrencyMax: 8, queueMax: 8 });
  const enter = (of: LimitedTool) => {
    try {
      return limiter.acquire(of, signal) ? 'waits' : 'runs';
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  const greedy = Array.from({ length: 14 }, () => enter(keyed('key:ada')));
  expect(greedy).toEqual([...Array(6).fill('runs'), ...Array(6).fill('waits'), 'BUSY', 'BUSY']);
  expect([enter(keyed('key:bob')), enter(free), enter(free), enter(keyed('key:bob'))]).toEqual([
    'runs',
    'runs',
    'waits',
    'waits',
  ]);
  expect(enter(keyed('key:bob'))).toBe('BUSY');
});

test('a caller with a key whose calls fail opens a breaker of its own, and several of them that of the server', () => {
  const limiter = openGuard();
  const fail = (caller: string) => {
    limiter.acquire(keyed(caller), signal);
    limiter.release(keyed(caller), 'failed', 'refused');
  };
  for (let count = 0; count < 5; count += 1) fail('key:ada');
  expect(() => limiter.checkBreaker(keyed('key:ada'))).toThrow('Circuit breaker open');
  limiter.checkBreaker(keyed('key:bob'));
  limiter.checkBreaker(free);
  expect(limiter.breaker()).toMatchObject({ state: 'open', failures: 5 });
  limiter.reset();
  for (const caller of ['key:ada', 'key:bob', 'key:ada', 'key:bob', 'key:ada']) fail(caller);
  expect(() => limiter.checkBreaker(keyed('key:carl'))).toThrow('Circuit breaker open');
  expect(() => limiter.checkBreaker(free)).toThrow('Circuit breaker open');
});
