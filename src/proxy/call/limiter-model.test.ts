import { expect, test } from 'vitest';
import { Dice } from '../../../test/naive/bind-graph.ts';
import type { BinderyError } from '../../contract/errors.ts';
import { type LimitedTool, type LimiterSettings, ServerLimiter } from './server-limiter.ts';

const OPEN_MS = 100;
const FAILURES = 2;

interface Breaker {
  failures: number;
  openedAt: number | undefined;
  probing: boolean;
}
interface Call {
  readonly of: LimitedTool;
  readonly party: string;
  readonly stop: AbortController;
  state: string;
}

/** The rules as lists and loops. */
class NaiveLimiter {
  now = 0;
  settings: LimiterSettings;
  running: Call[] = [];
  line: Call[] = [];
  lastFailure: string | undefined;
  breakers = new Map<string, Breaker>();
  lastFailed: string | undefined;
  turns: string[] = [];

  constructor(settings: LimiterSettings) {
    this.settings = settings;
  }
  breakerOf({ tool }: LimitedTool, caller = ''): Breaker {
    const name = `${this.settings.toolBreakers?.has(tool) ? tool : ''} ${caller}`;
    const known = this.breakers.get(name) ?? { failures: 0, openedAt: undefined, probing: false };
    this.breakers.set(name, known);
    return known;
  }
  /** How long a call would have to wait for the breaker; 0: it may pass. */
  closedFor(of: LimitedTool): number {
    return this.closedBy(this.breakerOf(of)) || this.closedBy(this.breakerOf(of, keyOf(of)));
  }
  closedBy({ openedAt, probing }: Breaker): number {
    if (openedAt === undefined) return 0;
    if (this.now < openedAt + OPEN_MS) return openedAt + OPEN_MS - this.now;
    return probing ? 1_000 : 0;
  }
  /** A caller with a key leaves a quarter to the others. */
  isWithinShare(of: LimitedTool, calls: readonly Call[], max: number): boolean {
    const key = keyOf(of);
    return key === '' || calls.filter((call) => keyOf(call.of) === key).length < Math.ceil((max * 3) / 4);
  }
  hasRoom(of: LimitedTool): boolean {
    const { tool, concurrencyMax = 99 } = of;
    if (!this.isWithinShare(of, this.running, this.settings.concurrencyMax)) return false;
    const same = this.running.filter((call) => call.of.tool === tool && call.of.concurrencyMax !== undefined).length;
    return this.running.length < this.settings.concurrencyMax && same < concurrencyMax;
  }
  begin(call: Call): void {
    const waitMs = this.closedFor(call.of);
    if (waitMs > 0) {
      call.state = `BREAKER_OPEN ${waitMs}`;
      return;
    }
    for (const breaker of [this.breakerOf(call.of), this.breakerOf(call.of, keyOf(call.of))])
      if (breaker.openedAt !== undefined) breaker.probing = true;
    this.running.push(call);
    call.state = 'runs';
  }
  acquire(call: Call): void {
    if (this.hasRoom(call.of)) this.begin(call);
    else if (
      this.line.length >= this.settings.queueMax ||
      !this.isWithinShare(call.of, this.line, this.settings.queueMax)
    )
      call.state = 'BUSY 1000';
    else {
      call.state = 'waits';
      this.line.push(call);
    }
  }
  release(call: Call, event: 'answered' | 'failed' | 'abandoned', failure: string): void {
    if (event === 'failed') this.lastFailure = failure;
    if (event === 'answered') this.lastFailure = undefined;
    const key = keyOf(call.of);
    const isRepeated = event === 'failed' && key !== '' && key === this.lastFailed;
    if (event !== 'abandoned') this.lastFailed = event === 'failed' ? key : undefined;
    this.note(this.breakerOf(call.of), isRepeated ? 'abandoned' : event);
    if (key !== '') this.note(this.breakerOf(call.of, key), event);
    this.running = this.running.filter((one) => one !== call);
    call.state = 'released';
    this.serve();
  }
  note(breaker: Breaker, event: 'answered' | 'failed' | 'abandoned'): void {
    if (event === 'answered') Object.assign(breaker, { failures: 0, openedAt: undefined, probing: false });
    if (event === 'abandoned') breaker.probing = false;
    if (event !== 'failed') return;
    breaker.failures += 1;
    breaker.probing = false;
    if (breaker.openedAt !== undefined || breaker.failures >= FAILURES) breaker.openedAt = this.now;
  }
  /** Parties take turns: whoever had a turn most recently comes last. */
  serve(): void {
    for (;;) {
      const fits = this.line.filter(({ of }) => this.hasRoom(of));
      const [next] = fits.toSorted((a, b) => this.turns.lastIndexOf(a.party) - this.turns.lastIndexOf(b.party));
      if (!next) break;
      this.line = this.line.filter((one) => one !== next);
      this.turns.push(next.party);
      this.begin(next);
    }
    if (this.line.length === 0) this.turns = [];
  }
}

const keyOf = ({ client }: LimitedTool) => (client?.caller.startsWith('key:') ? client.caller : '');

const TOOLS: readonly Omit<LimitedTool, 'client'>[] = [
  { tool: 'free', concurrencyMax: undefined },
  { tool: 'single', concurrencyMax: 1 },
  { tool: 'pair', concurrencyMax: 2 },
  { tool: 'flaky', concurrencyMax: undefined },
];
const CLIENTS = [
  { caller: 'key:1', session: 'a', info: undefined },
  { caller: 'key:1', session: 'b', info: undefined },
  { caller: 'key:2', session: 'c', info: undefined },
  { caller: 'local', session: 'a', info: undefined },
  { caller: 'local', session: undefined, info: { name: 'agent', version: '1' } },
  { caller: 'local', session: undefined, info: undefined },
];
const partyOf = ({ caller, session, info }: (typeof CLIENTS)[number]) =>
  caller === 'local' ? `local ${session ?? info?.name ?? ''}` : caller;

const settle = async () => {
  for (let turns = 0; turns < 6; turns += 1) await Promise.resolve();
};
const said = (thrown: unknown) => {
  const { code, members, message } = thrown as BinderyError;
  return code ? `${code} ${members.retry_after_ms ?? ''}`.trim() : message;
};

function begin(limiter: ServerLimiter, call: Call): string {
  try {
    const waiting = limiter.acquire(call.of, call.stop.signal);
    waiting?.then(
      () => real.set(call, 'runs'),
      (thrown) => real.set(call, said(thrown)),
    );
    return waiting ? 'waits' : 'runs';
  } catch (thrown) {
    return said(thrown);
  }
}
const real = new Map<Call, string>();

test('for random arrivals, failures and departures the limiter behaves like a naive one [gateway:P7] [gateway:M2]', async () => {
  for (let seed = 0; seed < 120; seed += 1) {
    const dice = new Dice(seed);
    const settings = (): LimiterSettings => ({
      breaker: { failures: FAILURES, openMs: OPEN_MS },
      concurrencyMax: 1 + dice.below(5),
      queueMax: dice.below(6),
      ...(seed % 2 === 0 ? {} : { toolBreakers: new Set(['flaky']) }),
    });
    const naive = new NaiveLimiter(settings());
    const limiter = new ServerLimiter({ now: () => naive.now }, naive.settings);
    const calls: Call[] = [];
    real.clear();
    for (let step = 0; step < 60; step += 1) {
      const kind = dice.below(12);
      if (kind < 5) {
        const client = dice.pick(CLIENTS);
        const call = {
          of: { ...dice.pick(TOOLS), client },
          party: partyOf(client),
          stop: new AbortController(),
          state: '',
        };
        calls.push(call);
        naive.acquire(call);
        real.set(call, begin(limiter, call));
      } else if (kind < 9 && naive.running.length > 0) {
        const call = dice.pick(naive.running);
        const event = dice.pick(['answered', 'answered', 'failed', 'failed', 'abandoned'] as const);
        naive.release(call, event, `failure ${step}`);
        limiter.release(call.of, event, `failure ${step}`);
        real.set(call, 'released');
      } else if (kind === 9 && naive.line.length > 0) {
        const call = dice.pick(naive.line);
        naive.line = naive.line.filter((one) => one !== call);
        if (naive.line.length === 0) naive.turns = [];
        call.state = 'gone';
        call.stop.abort(new Error('gone'));
      } else if (kind === 10 && dice.chance(0.3)) {
        naive.settings = settings();
        limiter.configure(naive.settings);
        naive.serve();
      } else if (kind === 10 && dice.chance(0.2)) {
        limiter.reset();
        naive.breakers.clear();
        naive.lastFailed = undefined;
      } else naive.now += dice.pick([1, OPEN_MS - 1, OPEN_MS]);
      await settle();
      expect(calls.map((call) => real.get(call))).toEqual(calls.map(({ state }) => state));
      const ofServer = ['', 'key:1', 'key:2'].map((key) => naive.breakerOf(TOOLS[0] as LimitedTool, key));
      const [{ failures, openedAt }] = ofServer.toSorted(
        (a, b) => (b.openedAt ?? -1) - (a.openedAt ?? -1) || b.failures - a.failures,
      ) as [Breaker];
      const isOpen = openedAt !== undefined && naive.now < openedAt + OPEN_MS;
      expect({
        running: limiter.running,
        queued: limiter.queued,
        lastFailure: limiter.lastFailure,
        breaker: limiter.breaker(),
      }).toEqual({
        running: naive.running.length,
        queued: naive.line.length,
        lastFailure: naive.lastFailure,
        breaker: {
          state: openedAt === undefined ? 'closed' : isOpen ? 'open' : 'half_open',
          failures,
          retry_at: isOpen ? new Date(openedAt + OPEN_MS).toISOString() : null,
        },
      });
      const client = dice.pick(CLIENTS);
      for (const of of TOOLS.map((tool) => ({ ...tool, client }))) {
        const waitMs = naive.closedFor(of);
        const check = () => limiter.checkBreaker(of);
        if (waitMs === 0) expect(check).not.toThrow();
        else
          expect(check).toThrow(expect.objectContaining({ code: 'BREAKER_OPEN', members: { retry_after_ms: waitMs } }));
      }
    }
    limiter.refuseQueued();
    await settle();
    expect(naive.line.map((call) => real.get(call))).toEqual(naive.line.map(() => 'INTERRUPTED'));
    expect(limiter.queued).toBe(0);
  }
});

test('a call that was let in, or refused, listens no more whether its client leaves', async () => {
  const limiter = new ServerLimiter(
    { now: () => 0 },
    { breaker: { failures: 1, openMs: 1 }, concurrencyMax: 1, queueMax: 9 },
  );
  const of = { tool: 't', concurrencyMax: undefined };
  let listening = 0;
  const signal = {
    aborted: false,
    reason: undefined,
    throwIfAborted() {},
    addEventListener: () => {
      listening += 1;
    },
    removeEventListener: () => {
      listening -= 1;
    },
  };
  limiter.acquire(of, signal);
  const letIn = limiter.acquire(of, signal);
  const refused = limiter.acquire(of, signal);
  limiter.release(of, 'answered');
  await letIn;
  limiter.refuseQueued();
  await expect(refused).rejects.toMatchObject({ code: 'INTERRUPTED' });
  expect([listening, limiter.running]).toEqual([0, 1]);
});
