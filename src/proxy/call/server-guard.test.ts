import { expect, test } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import { GUARD_DEFAULTS, type GuardedTool, ServerGuard } from './server-guard.ts';

const signal = new AbortController().signal;
const openGuard = (more: Partial<typeof GUARD_DEFAULTS> & { toolBreakers?: ReadonlySet<string> } = {}) =>
  new ServerGuard({ now: () => 0 }, { ...GUARD_DEFAULTS, ...more });
const free: GuardedTool = { tool: 'free', concurrencyMax: undefined };
const single: GuardedTool = { tool: 'single', concurrencyMax: 1 };
const turn = () => new Promise(setImmediate);

test('a limit of policy is one of its tool, whatever else runs at the server [gateway:P7]', async () => {
  const guard = openGuard();
  guard.enter(free, signal);
  expect(guard.enter(single, signal)).toBeUndefined();
  let isIn = false;
  guard.enter(single, signal)?.then(() => {
    isIn = true;
  });
  guard.leave(free, 'answered');
  await turn();
  expect(isIn).toBe(false);
  guard.leave(single, 'answered');
  await turn();
  expect(isIn).toBe(true);
});

test('a tool that is full holds up no other, and who waits is let in when more are allowed', async () => {
  const guard = openGuard({ concurrencyMax: 2 });
  const entered: string[] = [];
  const enter = (of: GuardedTool, name: string) => void guard.enter(of, signal)?.then(() => entered.push(name));
  guard.enter(single, signal);
  guard.enter(free, signal);
  enter(single, 'single');
  enter(free, 'free');
  guard.leave(free, 'answered');
  await turn();
  expect(entered).toEqual(['free']);
  enter(free, 'more');
  guard.configure({ ...GUARD_DEFAULTS, concurrencyMax: 3 });
  await turn();
  expect(entered).toEqual(['free', 'more']);
});

test('a call that the server runs already goes on at once, however many wait, and gives its place back', async () => {
  const guard = openGuard({ concurrencyMax: 1 });
  guard.enter(free, signal);
  let isIn = false;
  guard.enter(free, signal)?.then(() => {
    isIn = true;
  });
  guard.goOn(free);
  expect([guard.running, guard.queued]).toEqual([2, 1]);
  guard.leave(free, 'answered');
  await turn();
  expect([isIn, guard.running]).toEqual([false, 1]);
  guard.leave(free, 'answered');
  await turn();
  expect([isIn, guard.running]).toEqual([true, 1]);
});

test('calls that wait when nobody will send them any more are interrupted', async () => {
  const guard = openGuard({ concurrencyMax: 1 });
  guard.enter(free, signal);
  const waiting = guard.enter(free, signal);
  expect(guard.queued).toBe(1);
  guard.refuseQueued();
  await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect([guard.running, guard.queued]).toEqual([1, 0]);
});

test('however calls come, go and are cancelled, no limit is passed, nobody is overtaken by the same tool, and nobody is left', async () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const dice = new Dice(seed);
    const concurrencyMax = dice.below(4) + 1;
    const guard = openGuard({ concurrencyMax, queueMax: 1_000 });
    const tools = [free, single, { tool: 'pair', concurrencyMax: 2 }];
    const running: GuardedTool[] = [];
    const asked: { of: GuardedTool; number: number; cancel: AbortController; isIn: boolean }[] = [];
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
      const call = { of: tools[dice.below(3)] as GuardedTool, number: step, cancel, isIn: false };
      const entering = guard.enter(call.of, cancel.signal);
      if (entering) {
        asked.push(call);
        entering.then(() => note(call)).catch(() => {});
      } else note(call);
      const waiting = asked.filter(({ isIn, cancel: { signal: by } }) => !isIn && !by.aborted);
      if (dice.below(6) === 0) waiting[dice.below(Math.max(1, waiting.length))]?.cancel.abort(new Error('gone'));
      if (dice.below(2) === 0 && running.length > 0)
        guard.leave(running.splice(dice.below(running.length), 1)[0] as GuardedTool, 'answered');
      await Promise.resolve();
      await Promise.resolve();
      check();
    }
    while (running.length > 0) {
      guard.leave(running.shift() as GuardedTool, 'answered');
      await turn();
      check();
    }
    expect(asked.filter(({ isIn, cancel }) => !isIn && !cancel.signal.aborted)).toEqual([]);
    for (const numbers of enterOrder.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(guard.running).toBe(0);
  }
});

test('a tool with a breaker of its own does not open the one of its server, nor the other way round [gateway:M2]', () => {
  const guard = openGuard({ toolBreakers: new Set(['flaky']) });
  const flaky: GuardedTool = { tool: 'flaky', concurrencyMax: undefined };
  const fail = (of: GuardedTool) => {
    guard.enter(of, signal);
    guard.leave(of, 'failed', 'refused');
  };
  for (let count = 0; count < 5; count += 1) fail(flaky);
  expect(() => guard.check('flaky')).toThrow('left alone');
  guard.check('free');
  expect(guard.breaker()).toMatchObject({ state: 'closed', failures: 0 });
  guard.reset();
  guard.check('flaky');
  for (let count = 0; count < 5; count += 1) fail(free);
  expect(() => guard.check('free')).toThrow();
  guard.check('flaky');
});
