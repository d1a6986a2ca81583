import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { LargeRequests } from './large-requests.ts';

const LIMITS = {
  largeRequestsBytesMax: 40,
  largeRequestsBytesPerCallerMax: 20,
  largeRequestsWaitingMax: 3,
  largeRequestWaitMs: 1_000,
};

afterEach(() => vi.useRealTimers());

/** Requests that note when they start and how they fail. */
function requestsOf(limits = LIMITS, giveUpStalled = () => {}) {
  const requests = new LargeRequests(limits, giveUpStalled);
  const started: string[] = [];
  const failed: string[] = [];
  const leave = new Map<string, () => void>();
  const enter = (name: string, bytes: number) =>
    requests.enter(name[0] ?? '', bytes).then(
      (done) => {
        started.push(name);
        leave.set(name, done);
      },
      ({ httpStatus, data }) => void failed.push(`${name} ${httpStatus} ${data.code}`),
    );
  const settled = () => new Promise((resolve) => process.nextTick(resolve));
  return { requests, started, failed, enter, settled, leave: (name: string) => leave.get(name)?.() };
}

test('requests start in their order as far as the bytes go; a caller that has used its share holds up nobody else', async () => {
  const { requests, started, enter, leave, settled } = requestsOf();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1', 'c2']) void enter(name, 10);
  await settled();
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
  expect(requests.taken).toEqual({ bytes: 40, waiting: 3 });
  leave('b1');
  await settled();
  // a3 is older, but its caller has its share.
  expect(started.slice(4)).toEqual(['c2']);
  leave('a1');
  leave('a1');
  await settled();
  expect([started.slice(5), requests.taken]).toEqual([['a3'], { bytes: 40, waiting: 1 }]);
});

test('a request that needs many bytes is not passed by those that need few', async () => {
  const { started, enter, leave, settled } = requestsOf();
  for (const [name, bytes] of [
    ['a1', 20],
    ['b1', 11],
    ['c1', 10],
    ['d1', 1],
    ['c2', 1],
  ] as const)
    void enter(name, bytes);
  await settled();
  expect(started).toEqual(['a1', 'b1']);
  leave('b1');
  await settled();
  expect(started).toEqual(['a1', 'b1', 'c1', 'd1', 'c2']);
});

test('a request that finds too many of its caller waiting, or waits too long, is refused as BUSY and leaves its place', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
  let looks = 0;
  const { requests, started, failed, enter, leave, settled } = requestsOf(LIMITS, () => {
    looks += 1;
  });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']) void enter(name, 20);
  await settled();
  expect([started, failed]).toEqual([['a1', 'b1'], ['a5 503 BUSY']]);
  vi.advanceTimersByTime(999);
  expect(looks).toBe(1);
  vi.advanceTimersByTime(1);
  await settled();
  expect([failed.slice(1), requests.taken]).toEqual([
    ['a2 503 BUSY', 'a3 503 BUSY', 'a4 503 BUSY'],
    { bytes: 40, waiting: 0 },
  ]);
  leave('a1');
  leave('b1');
  // Nothing watches any more.
  vi.advanceTimersByTime(10_000);
  expect([requests.taken, vi.getTimerCount()]).toEqual([{ bytes: 0, waiting: 0 }, 0]);
});

test('however requests come and go, the budget holds, all start in the end, and nothing stays', async () => {
  const step = fc.record({
    caller: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.integer({ min: 1, max: 20 }),
    ends: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const requests = new LargeRequests(
        { ...LIMITS, largeRequestsWaitingMax: 100, largeRequestWaitMs: 60_000 },
        () => {},
      );
      const running: { caller: string; bytes: number; leave: () => void }[] = [];
      const settled = () => new Promise((resolve) => process.nextTick(resolve));
      let startedCount = 0;
      const check = () => {
        const sum = (of: typeof running) => of.reduce((total, { bytes }) => total + bytes, 0);
        expect(requests.taken.bytes).toBe(sum(running));
        expect(sum(running)).toBeLessThanOrEqual(40);
        for (const caller of ['a', 'b', 'c'])
          expect(sum(running.filter((one) => one.caller === caller))).toBeLessThanOrEqual(20);
      };
      for (const { caller, bytes, ends } of steps) {
        void requests.enter(caller, bytes).then((leave) => {
          startedCount += 1;
          running.push({ caller, bytes, leave });
        });
        await settled();
        check();
        if (ends) running.shift()?.leave();
        await settled();
        check();
      }
      while (running.length > 0) {
        running.shift()?.leave();
        await settled();
        check();
      }
      expect([startedCount, requests.taken]).toEqual([steps.length, { bytes: 0, waiting: 0 }]);
    }),
    { numRuns: 100 },
  );
});
