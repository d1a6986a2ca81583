import type { CancelSignal } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import { partyOf } from '../../gateway/approval/pending-limits.ts';
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
import type { Client } from '../message/client.ts';

export interface LimiterSettings {
  readonly breaker: BreakerSettings;
  readonly concurrencyMax: number;
  readonly queueMax: number;
  /** Tools with a breaker of their own in the place of the server's: their faults are not those of the others. */
  readonly toolBreakers?: ReadonlySet<string>;
}

/** Whom a call is for, and how many calls of that tool policy allows at once. */
export interface LimitedTool {
  readonly tool: string;
  readonly concurrencyMax: number | undefined;
  /** Whose call it is: who wait take turns. */
  readonly client?: Pick<Client, 'caller' | 'session' | 'info'>;
}

interface WaitingCall {
  readonly of: LimitedTool;
  readonly party: string;
  readonly wake: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Limits the calls to one server: circuit breakers, and a semaphore for its concurrency and that of its tools. Its queue is bounded; callers
 * in it take turns, and the calls of each are first in, first out.
 */
export class ServerLimiter {
  readonly #clock: Clock;
  #settings: LimiterSettings;
  #breaker: BreakerState = CLOSED;
  readonly #toolBreakers = new Map<string, BreakerState>();
  #running = 0;
  /** Of the tools that policy limits. */
  readonly #runningOf = new Map<string, number>();
  #lastFailure: string | undefined;
  /** Whose own process failed last, since a call was answered or failed elsewhere. */
  #lastLessee: string | undefined;
  readonly #queue: WaitingCall[] = [];
  /** The turn in which each waiting party was last admitted; empty while the queue is empty. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(clock: Clock, settings: LimiterSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Why the last call that counted against the server failed; undefined once one is answered. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Refuses the waiting calls, because the gateway is shutting down. */
  refuseQueued(): void {
    for (const { refuse } of this.#queue.splice(0)) refuse(new BinderyError('INTERRUPTED'));
  }

  configure(settings: LimiterSettings): void {
    this.#settings = settings;
    this.#wakeNext();
  }

  breaker(): { readonly state: BreakerReport; readonly failures: number; readonly retry_at: string | null } {
    const state = report(this.#breaker, this.#clock.now(), this.#settings.breaker);
    const retryAt = (this.#breaker.openedAt ?? 0) + this.#settings.breaker.openMs;
    return {
      state,
      failures: this.#breaker.failures,
      retry_at: state === 'open' ? new Date(retryAt).toISOString() : null,
    };
  }

  /** Throws `BREAKER_OPEN` where a call would be refused; it takes nothing. */
  checkBreaker(tool: string): void {
    const admission = admit(this.#breakerOf(tool), this.#clock.now(), this.#settings.breaker);
    if (!admission.admitted) throw breakerOpen(admission.retryAfterMs);
  }

  /**
   * Acquires a place among the running calls. Where none is free the call waits in the queue, and there is a promise to await;
   * throws `BUSY` at once where the queue is full.
   */
  acquire(of: LimitedTool, signal: CancelSignal): Promise<void> | undefined {
    if (!this.#hasRoom(of)) return this.#wait(of, signal);
    this.#begin(of);
    return undefined;
  }

  /** Acquires a place without waiting, for a call that the server runs already: behind calls that wait for it, its answers would never come. */
  acquireNow(of: LimitedTool): void {
    this.#begin(of);
  }

  /**
   * Releases the slot and reports the outcome to the circuit breaker. Failures in a row of the own process of one client, the
   * `lessee`, count once: a client that breaks its process does not close the server for others.
   */
  release(of: LimitedTool, event: BreakerEvent, failure?: string, lessee?: string): void {
    const isCounted = event !== 'failed' || lessee === undefined || lessee !== this.#lastLessee;
    if (event === 'failed') [this.#lastFailure, this.#lastLessee] = [failure, lessee];
    else if (event === 'answered') [this.#lastFailure, this.#lastLessee] = [undefined, undefined];
    const now = this.#clock.now();
    const counted = isCounted ? event : 'abandoned';
    this.#setBreaker(of.tool, recordOutcome(this.#breakerOf(of.tool), counted, now, this.#settings.breaker));
    this.#running -= 1;
    if (of.concurrencyMax !== undefined) this.#runningOf.set(of.tool, this.#runningNow(of) - 1);
    if (this.#queue.length > 0) this.#wakeNext();
  }

  /** Closes the breakers: a person said that the server is healthy. */
  reset(): void {
    this.#breaker = CLOSED;
    this.#lastLessee = undefined;
    this.#toolBreakers.clear();
  }

  #breakerOf(tool: string): BreakerState {
    const { toolBreakers } = this.#settings;
    return toolBreakers?.has(tool) ? (this.#toolBreakers.get(tool) ?? CLOSED) : this.#breaker;
  }

  #setBreaker(tool: string, state: BreakerState): void {
    if (this.#settings.toolBreakers?.has(tool)) this.#toolBreakers.set(tool, state);
    else this.#breaker = state;
  }

  #runningNow({ tool }: LimitedTool): number {
    return this.#runningOf.get(tool) ?? 0;
  }

  #hasRoom(of: LimitedTool): boolean {
    if (this.#running >= this.#settings.concurrencyMax) return false;
    return of.concurrencyMax === undefined || this.#runningNow(of) < of.concurrencyMax;
  }

  #begin(of: LimitedTool): void {
    const admission = admit(this.#breakerOf(of.tool), this.#clock.now(), this.#settings.breaker);
    if (!admission.admitted) throw breakerOpen(admission.retryAfterMs);
    this.#setBreaker(of.tool, admission.state);
    this.#running += 1;
    if (of.concurrencyMax !== undefined) this.#runningOf.set(of.tool, this.#runningNow(of) + 1);
  }

  #wait(of: LimitedTool, signal: CancelSignal): Promise<void> {
    if (this.#queue.length >= this.#settings.queueMax) {
      throw new BinderyError('BUSY', { members: { retry_after_ms: 1_000 } });
    }
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => {
        signal.removeEventListener('abort', cancel);
        reject(error);
      };
      const wake = () => {
        signal.removeEventListener('abort', cancel);
        try {
          this.#begin(of);
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      const waiting = { of, party: partyOfCall(of), wake, refuse };
      const cancel = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#queue.push(waiting);
    });
  }

  /** Admits waiting calls that fit, callers in turn; a tool at its limit does not block others. */
  #wakeNext(): void {
    for (let next = this.#nextInLine(); next; next = this.#nextInLine()) {
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#turn += 1;
      this.#turns.set(next.party, this.#turn);
      next.wake();
    }
    if (this.#queue.length === 0) this.#turns.clear();
  }

  /** The oldest call of the caller whose last turn is longest ago, among those that have room. */
  #nextInLine(): WaitingCall | undefined {
    let first: WaitingCall | undefined;
    let firstTurn = Number.POSITIVE_INFINITY;
    for (const waiting of this.#queue) {
      const turn = this.#turns.get(waiting.party) ?? 0;
      if (turn >= firstTurn || !this.#hasRoom(waiting.of)) continue;
      [first, firstTurn] = [waiting, turn];
    }
    return first;
  }
}

function partyOfCall({ client }: LimitedTool): string {
  return client ? partyOf({ caller: client.caller, session: client.session ?? null, client: client.info ?? null }) : '';
}

function breakerOpen(retryAfterMs: number): BinderyError {
  return new BinderyError('BREAKER_OPEN', { members: { retry_after_ms: retryAfterMs } });
}
