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
  /** Tools with a breaker of their own instead of the server's: their failures do not affect other tools. */
  readonly toolBreakers?: ReadonlySet<string>;
}

/** A tool to acquire a slot for, its client, and the concurrency that policy allows. */
export interface LimitedTool {
  readonly tool: string;
  readonly concurrencyMax: number | undefined;
  /** Waiting clients take turns. */
  readonly client?: Pick<Client, 'caller' | 'session' | 'info'>;
}

interface WaitingCall {
  readonly of: LimitedTool;
  readonly party: string;
  readonly wake: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Limits the calls to one server: circuit breakers, and a semaphore for its concurrency and that of its tools. The queue is bounded
 * and fair: clients take turns, and each client's calls are first in, first out.
 */
export class ServerLimiter {
  readonly #clock: Clock;
  #settings: LimiterSettings;
  #breaker: BreakerState = CLOSED;
  readonly #toolBreakers = new Map<string, BreakerState>();
  #running = 0;
  /** Running calls of the tools that policy limits. */
  readonly #runningOf = new Map<string, number>();
  #lastFailure: string | undefined;
  /** The client whose own process failed last; reset by an answer or by a failure elsewhere. */
  #lastLessee: string | undefined;
  readonly #queue: WaitingCall[] = [];
  /** The turn in which each waiting client was last admitted; empty while the queue is empty. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(clock: Clock, settings: LimiterSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Why the last call that counted against the server failed; undefined after the next answer. */
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

  /** Throws `BREAKER_OPEN` if a call would be refused. Acquires nothing. */
  checkBreaker(tool: string): void {
    const admission = admit(this.#breakerOf(tool), this.#clock.now(), this.#settings.breaker);
    if (!admission.admitted) throw breakerOpen(admission.retryAfterMs);
  }

  /** Acquires a slot. Returns a promise if no slot is free and the call waits in the queue; throws `BUSY` if the queue is full. */
  acquire(of: LimitedTool, signal: CancelSignal): Promise<void> | undefined {
    if (!this.#hasRoom(of)) return this.#wait(of, signal);
    this.#begin(of);
    return undefined;
  }

  /** Acquires a slot without waiting, for a call that the server is already running: in the queue its answers would deadlock. */
  acquireNow(of: LimitedTool): void {
    this.#begin(of);
  }

  /**
   * Releases the slot and reports the outcome to the circuit breaker. Consecutive failures of one client's own process (the `lessee`)
   * count once, so a client that breaks its process does not open the breaker for others.
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

  /** Closes the breakers after a person declared the server healthy. */
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

  /** Admits waiting calls that fit, clients in turn. A tool at its limit does not block other tools. */
  #wakeNext(): void {
    for (let next = this.#nextInLine(); next; next = this.#nextInLine()) {
      this.#queue.splice(this.#queue.indexOf(next), 1);
      this.#turn += 1;
      this.#turns.set(next.party, this.#turn);
      next.wake();
    }
    if (this.#queue.length === 0) this.#turns.clear();
  }

  /** Among the calls that fit, the oldest call of the client whose last turn is longest ago. */
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
