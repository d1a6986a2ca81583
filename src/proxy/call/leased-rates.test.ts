import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { leaseSize, RATE_WINDOW_MS } from '../../gateway/throttle/rate-window.ts';
import type { Client } from '../message/client.ts';
import type { Target } from './client-call.ts';
import { LeasedRates, type RateLeases } from './leased-rates.ts';

const client = { caller: 'ada' } as Client;
const target = { server: 's', tool: 't' } as Target;

/** One window for everybody, without a clock of its own; each answer takes a turn. */
function leasesOf(clock: { at: number }, state = { isAway: false }) {
  const windows = new Map<string, { startedAt: number; used: number }>();
  const asked: string[] = [];
  const leases: RateLeases = {
    lease: async (key, perMinute, calls) => {
      asked.push(key);
      await Promise.resolve();
      if (state.isAway) throw new BinderyError('STORE_UNAVAILABLE');
      const found = windows.get(key);
      const window = found && clock.at < found.startedAt + RATE_WINDOW_MS ? found : { startedAt: clock.at, used: 0 };
      const given = Math.min(calls, perMinute - window.used);
      windows.set(key, { ...window, used: window.used + given });
      return { calls: given, endsInMs: window.startedAt + RATE_WINDOW_MS - clock.at };
    },
    reclaim: async () => {},
  };
  return { leases, asked, state };
}

const outcome = async (rates: LeasedRates, perMinute: number, limits = {}) => {
  try {
    await rates.count(client, target, perMinute, limits);
    return 'ok';
  } catch (thrown) {
    return (thrown as BinderyError).code;
  }
};

test('whatever nodes do, together they let no more pass than the limit, and no less than their leases keep back [gateway:R9]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.nat(2), { maxLength: 150 }),
      fc.boolean(),
      async (perMinute, calls, atOnce) => {
        const clock = { at: 1_000 };
        const { leases } = leasesOf(clock);
        const nodes = [0, 1, 2].map(() => new LeasedRates(leases, { now: () => clock.at }));
        const outcomes: string[] = [];
        if (atOnce) {
          outcomes.push(...(await Promise.all(calls.map((node) => outcome(nodes[node] as LeasedRates, perMinute)))));
        } else for (const node of calls) outcomes.push(await outcome(nodes[node] as LeasedRates, perMinute));
        const passed = outcomes.filter((one) => one === 'ok').length;
        const keptBack = 2 * (leaseSize(perMinute) - 1);
        expect([passed <= perMinute, passed >= Math.min(calls.length, perMinute - keptBack)]).toEqual([true, true]);
      },
    ),
    { numRuns: 200 },
  );
});

test('a node leases a tenth of a window at a time, and once the limit is used up it does not ask again before the window ends [gateway:R9] [gateway:P7]', async () => {
  const clock = { at: 0 };
  const { leases, asked } = leasesOf(clock);
  const rates = new LeasedRates(leases, { now: () => clock.at });
  const outcomes = [];
  for (let call = 0; call < 60; call += 1) outcomes.push(await outcome(rates, 50));
  const askedFirst = asked.length;
  clock.at = RATE_WINDOW_MS;
  outcomes.push(await outcome(rates, 50));
  expect([outcomes.filter((one) => one === 'ok').length, outcomes[55], outcomes[60], askedFirst, asked.length]).toEqual(
    [51, 'RATE_LIMITED', 'ok', 11, 12],
  );
});

test('a lease is used without the database; a new lease fails at once without it [gateway:R14]', async () => {
  const clock = { at: 0 };
  const { leases, state } = leasesOf(clock);
  const rates = new LeasedRates(leases, { now: () => clock.at });
  const outcomes = [await outcome(rates, 20)];
  state.isAway = true;
  outcomes.push(await outcome(rates, 20), await outcome(rates, 20));
  state.isAway = false;
  outcomes.push(await outcome(rates, 20));
  expect(outcomes).toEqual(['ok', 'ok', 'STORE_UNAVAILABLE', 'ok']);
});

test('limits of the caller, of the server and of the tool all count', async () => {
  const clock = { at: 0 };
  const { leases } = leasesOf(clock);
  const rates = new LeasedRates(leases, { now: () => clock.at });
  const limits = { client_per_minute: 3, server_per_minute: 2 };
  expect([await outcome(rates, 9, limits), await outcome(rates, 9, limits), await outcome(rates, 9, limits)]).toEqual([
    'ok',
    'ok',
    'RATE_LIMITED',
  ]);
});
