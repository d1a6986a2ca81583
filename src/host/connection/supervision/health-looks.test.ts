import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HttpFixture } from '../../../../test/fixtures/servers/http-server.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { HttpPool } from '../../transports/http-pool.ts';
import { HealthWatch, type HealthWatchPorts, healthCheckOf, ReportedByPeer } from './health-watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch of a server whose ping and health check the test answers for. */
function watch(more: Partial<HealthWatchPorts> = {}, busy = false) {
  const seen = { pings: [] as string[], checks: [] as boolean[], verdicts: [] as string[] };
  const answers = {
    ping: (): unknown => ({}),
    check: (): unknown => true,
    era: '2025',
  };
  const connection = {
    get era() {
      return answers.era;
    },
    exchanges: { busy },
    request: async ({ method }: { method: string }, { timeoutMs }: { timeoutMs: number }) => {
      seen.pings.push(`${method} ${timeoutMs}`);
      return answers.ping();
    },
  };
  const health = new HealthWatch({
    intervalMs: 1_000,
    timeoutMs: 50,
    random: () => 0.5,
    connection: () => connection as never,
    check: async (_signal, isConnected) => {
      seen.checks.push(isConnected);
      return (await answers.check()) as boolean;
    },
    onHealthy: (isProbed) => void seen.verdicts.push(`well ${isProbed}`),
    onUnhealthy: async (error, silent) => void seen.verdicts.push(`ill ${error.message}${silent ? ' silent' : ''}`),
    ...more,
  });
  return { health, seen, answers };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const fails =
  (kind: 'lost' | 'rpc' | 'rate_limited' | 'auth', members: object = {}) =>
  () => {
    throw new UpstreamError(kind, kind, members);
  };

test('[wire:HEALTH] the first health check comes within a tenth of the interval, the next ones at the interval, with a jitter of 10 %', async () => {
  const { health, seen } = watch();
  health.later();
  await pass(49);
  const before = seen.checks.length;
  await pass(1);
  expect([before, seen.checks.length]).toEqual([0, 1]);
  await pass(999);
  const early = seen.checks.length;
  await pass(1);
  expect([early, seen.checks.length]).toEqual([1, 2]);
  const bounds = [0, 1].map((random) => {
    const one = watch({ random: () => random, check: undefined });
    one.health.later();
    return one.seen;
  });
  await pass(899);
  const none = bounds.map(({ pings }) => pings.length);
  await pass(1);
  const first = bounds.map(({ pings }) => pings.length);
  await pass(200);
  expect([none, first, bounds[1]?.pings.length]).toEqual([[0, 0], [1, 0], 1]);
});

test('[wire:HEALTH] without a connection and a health check nothing is probed, and a scheduled probe is dropped', async () => {
  let connection: object | undefined = { era: '2025', exchanges: { busy: false }, request: async () => ({}) };
  const { health, seen } = watch({ check: undefined, connection: () => connection as never });
  health.later();
  connection = undefined;
  health.later();
  await pass(10_000);
  expect(seen.verdicts).toEqual([]);
  const resting = watch({ connection: () => undefined });
  resting.health.later();
  await pass(50);
  expect([resting.seen.checks, resting.seen.verdicts]).toEqual([[false], ['well true']]);
  await pass(1_000);
  expect(resting.seen.checks).toEqual([false, false]);
});

test('[wire:HEALTH] any answer proves that the server is alive; no answer does not', async () => {
  const verdict = async (ping: () => unknown, more: { era?: string } = {}) => {
    const { health, seen, answers } = watch({ check: undefined });
    Object.assign(answers, { ping, ...more });
    health.soon(0);
    await pass(0);
    health.end();
    return [...seen.pings, ...seen.verdicts];
  };
  expect([
    await verdict(() => ({})),
    await verdict(() => ({}), { era: '2026' }),
    await verdict(fails('rpc')),
    await verdict(fails('rate_limited')),
    await verdict(fails('auth', { scope: 'more' })),
    await verdict(fails('auth')),
    await verdict(fails('lost')),
  ]).toEqual([
    ['ping 50', 'well true'],
    ['server/discover 50', 'well true'],
    ['ping 50', 'well true'],
    ['ping 50', 'well true'],
    ['ping 50', 'well true'],
    ['ping 50', 'ill auth silent'],
    ['ping 50', 'ill lost silent'],
  ]);
});

test('[wire:HEALTH] ping and health check are combined: a silent server is unhealthy unless it is busy; a failed check always is', async () => {
  const verdict = async (ping: () => unknown, check: () => unknown, busy: boolean) => {
    const { health, seen, answers } = watch({}, busy);
    Object.assign(answers, { ping, check });
    health.soon(0);
    await pass(0);
    health.end();
    return seen.verdicts;
  };
  const [well, ill] = [() => ({}), fails('lost')];
  const [fine, nobody, sick] = [() => true, () => false, fails('auth')];
  expect([
    await verdict(well, fine, false),
    await verdict(well, sick, false),
    await verdict(ill, fine, false),
    await verdict(ill, sick, false),
    await verdict(ill, fine, true),
    await verdict(ill, sick, true),
    await verdict(ill, nobody, true),
    await verdict(well, nobody, false),
  ]).toEqual([
    ['well true'],
    ['ill auth'],
    ['ill lost silent'],
    ['ill lost silent'],
    ['well true'],
    ['ill auth'],
    [],
    ['well true'],
  ]);
  const hearsay = watch({ connection: () => undefined, check: async () => false });
  hearsay.health.soon(0);
  await pass(0);
  expect(hearsay.seen.verdicts).toEqual(['well false']);
});

test('[wire:HEALTH] a busy server with unknown health is probed again soon; others at the interval', async () => {
  const { health, seen, answers } = watch({ check: undefined }, true);
  answers.ping = fails('lost');
  health.soon(0);
  await pass(0);
  await pass(49);
  const before = seen.pings.length;
  await pass(1);
  expect([before, seen.pings.length, seen.verdicts]).toEqual([1, 2, []]);
  answers.ping = () => ({});
  await pass(50);
  await pass(999);
  const [looks, verdicts] = [seen.pings.length, [...seen.verdicts]];
  await pass(1);
  expect([looks, verdicts, seen.pings.length]).toEqual([3, ['well true'], 4]);
});

test('[wire:HEALTH] probes do not overlap', async () => {
  const { health, seen, answers } = watch({ check: undefined });
  let answer = () => {};
  answers.ping = () =>
    new Promise<void>((resolve) => {
      answer = resolve;
    });
  health.soon(0);
  await pass(0);
  health.soon(0);
  await pass(0);
  expect(seen.pings.length).toBe(1);
  answer();
  await pass(0);
  expect(seen.verdicts).toEqual(['well true']);
  health.soon(0);
  await pass(0);
  expect(seen.pings.length).toBe(2);
});

test('[wire:HEALTH] a health check is at the server’s current origin, and only 200 is healthy', async () => {
  vi.useRealTimers();
  let status = 200;
  const fixture = await new HttpFixture((reply) => {
    if (status > 0) reply.json({}, status);
  }).listen();
  const pool = new HttpPool();
  const spec = { id: 's', transport: 'http', healthCheck: '/health', headers: { 'x-key': 'k' } };
  const check = (more: object, address = fixture.url) =>
    healthCheckOf(
      { ...spec, ...more } as never,
      async () => address,
      (of) => pool.entry(of),
    );
  const look = async (given: number, address?: string, signal = AbortSignal.timeout(5_000)) => {
    status = given;
    return check({}, address)?.(signal, false).catch(({ kind, message }: UpstreamError) => [kind, message]);
  };
  expect([check({ transport: 'stdio' }), check({ healthCheck: undefined })]).toEqual([undefined, undefined]);
  expect([await look(200), fixture.seen[0]?.path, fixture.seen[0]?.headers['x-key']]).toEqual([true, '/health', 'k']);
  expect([
    await look(503),
    await look(0, undefined, AbortSignal.timeout(30)),
    await look(200, 'http://127.0.0.1:1/'),
  ]).toEqual([
    ['http', 'the health check answered HTTP 503'],
    ['refused', 'the health check failed (no answer in time)'],
    ['refused', 'the health check failed (ECONNREFUSED)'],
  ]);
  expect(new ReportedByPeer('x')).toMatchObject({ kind: 'refused', message: 'x' });
  await pool.destroy();
  await fixture.close();
});
