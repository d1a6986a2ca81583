import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import {
  admit,
  type BreakerEvent,
  type BreakerReport,
  type BreakerSettings,
  type BreakerState,
  CLOSED,
  recordOutcome,
  report,
} from '../../gateway/throttle/breaker.ts';

export interface BreakersSettings {
  readonly breaker: BreakerSettings;
  /** Tools with a breaker of their own instead of the server's: their failures do not affect other tools. */
  readonly toolBreakers?: ReadonlySet<string>;
}

/** Whose call it is: `caller` if it has a key of its own, `lessee` if it ran on the client's own process. */
export interface FailedBy {
  readonly caller: string | undefined;
  readonly lessee?: string | undefined;
}

/**
 * The circuit breakers of one server. Failures of one client's own process, or of one caller with a key, count once until another one
 * fails or the server answers: a caller that makes calls fail opens a breaker of its own, and does not lock out the others.
 */
export class ServerBreakers {
  readonly #clock: Clock;
  #settings: BreakersSettings;
  #server: BreakerState = CLOSED;
  readonly #tools = new Map<string, BreakerState>();
  /** Of callers whose last call failed, by tool breaker and caller. */
  readonly #callers = new Map<string, BreakerState>();
  /** Who failed last; undefined after an answer. */
  #lastFailed: string | undefined;

  constructor(clock: Clock, settings: BreakersSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  configure(settings: BreakersSettings): void {
    this.#settings = settings;
  }

  /** The state of the server's breaker, or of the caller's that opened last. */
  report(): { readonly state: BreakerReport; readonly failures: number; readonly retry_at: string | null } {
    const { breaker } = this.#settings;
    const callers = [...this.#callers].filter(([key]) => key.startsWith('\n')).map(([, state]) => state);
    const worst = callers.reduce((one, other) => (isWorse(other, one) ? other : one), this.#server);
    const state = report(worst, this.#clock.now(), breaker);
    const retryAt = (worst.openedAt ?? 0) + breaker.openMs;
    return { state, failures: worst.failures, retry_at: state === 'open' ? new Date(retryAt).toISOString() : null };
  }

  /** Throws `BREAKER_OPEN` if a call would be refused. */
  check(tool: string, caller: string | undefined): void {
    this.#admitted(this.#shared(tool));
    const own = this.#own(tool, caller);
    if (own) this.#admitted(own);
  }

  /** Notes that a call begins; throws `BREAKER_OPEN` if it may not. */
  begin(tool: string, caller: string | undefined): void {
    const shared = this.#admitted(this.#shared(tool));
    const own = this.#own(tool, caller);
    if (own) this.#setOwn(tool, caller, this.#admitted(own));
    this.#setShared(tool, shared);
  }

  record(tool: string, event: BreakerEvent, { caller, lessee }: FailedBy): void {
    const by = lessee ?? caller;
    const isCounted = event !== 'failed' || by === undefined || by !== this.#lastFailed;
    if (event !== 'abandoned') this.#lastFailed = event === 'failed' ? by : undefined;
    const after = (state: BreakerState, counted: BreakerEvent) =>
      recordOutcome(state, counted, this.#clock.now(), this.#settings.breaker);
    this.#setShared(tool, after(this.#shared(tool), isCounted ? event : 'abandoned'));
    if (caller === undefined || lessee !== undefined) return;
    const own = this.#own(tool, caller);
    if (own || event === 'failed') this.#setOwn(tool, caller, after(own ?? CLOSED, event));
  }

  /** Closes all, after a person declared the server healthy. */
  reset(): void {
    this.#server = CLOSED;
    this.#lastFailed = undefined;
    this.#tools.clear();
    this.#callers.clear();
  }

  #admitted(state: BreakerState): BreakerState {
    const admission = admit(state, this.#clock.now(), this.#settings.breaker);
    if (admission.admitted) return admission.state;
    throw new BinderyError('BREAKER_OPEN', { members: { retry_after_ms: admission.retryAfterMs } });
  }

  #hasOwn(tool: string): boolean {
    return this.#settings.toolBreakers?.has(tool) ?? false;
  }

  #shared(tool: string): BreakerState {
    return this.#hasOwn(tool) ? (this.#tools.get(tool) ?? CLOSED) : this.#server;
  }

  #setShared(tool: string, state: BreakerState): void {
    if (this.#hasOwn(tool)) this.#tools.set(tool, state);
    else this.#server = state;
  }

  #own(tool: string, caller: string | undefined): BreakerState | undefined {
    return caller === undefined || this.#callers.size === 0 ? undefined : this.#callers.get(this.#key(tool, caller));
  }

  #setOwn(tool: string, caller: string | undefined, state: BreakerState): void {
    const key = this.#key(tool, caller ?? '');
    if (state.failures === 0) this.#callers.delete(key);
    else this.#callers.set(key, state);
  }

  #key(tool: string, caller: string): string {
    return `${this.#hasOwn(tool) ? tool : ''}\n${caller}`;
  }
}

function isWorse(one: BreakerState, other: BreakerState): boolean {
  const [openedAt, otherOpenedAt] = [one.openedAt ?? -1, other.openedAt ?? -1];
  return openedAt > otherOpenedAt || (openedAt === otherOpenedAt && one.failures > other.failures);
}
