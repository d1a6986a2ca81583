import type { CancelSignal } from '../contract/cancellation.ts';
import { BinderyError } from '../contract/errors.ts';
import type { Clock } from '../contract/ports.ts';
import {
  admit,
  BREAKER_DEFAULTS,
  type BreakerEvent,
  type BreakerReport,
  type BreakerSettings,
  type BreakerState,
  CLOSED,
  report,
  settle,
} from '../gateway/guard/breaker.ts';

export interface GuardSettings {
  readonly breaker: BreakerSettings;
  readonly concurrencyMax: number;
  readonly queueMax: number;
}

/** What stands between calls and one server: its breaker, and a bounded queue for its concurrency. */
export class ServerGuard {
  readonly #clock: Clock;
  #settings: GuardSettings;
  #breaker: BreakerState = CLOSED;
  #running = 0;
  #lastFailure: string | undefined;
  readonly #queue: (() => void)[] = [];

  constructor(clock: Clock, settings: GuardSettings) {
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

  configure(settings: GuardSettings): void {
    this.#settings = settings;
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
  check(): void {
    const admission = admit(this.#breaker, this.#clock.now(), this.#settings.breaker);
    if (!admission.admitted) throw breakerOpen(admission.retryAfterMs);
  }

  /**
   * Takes a place among the running calls. Where none is free the call waits in the queue, and there is a promise to await;
   * throws `BUSY` at once where that is full.
   */
  enter(concurrencyMax: number | undefined, signal: CancelSignal): Promise<void> | undefined {
    const max = Math.min(this.#settings.concurrencyMax, concurrencyMax ?? Number.POSITIVE_INFINITY);
    if (this.#running >= max) return this.#wait(signal).then(() => this.#begin());
    this.#begin();
    return undefined;
  }

  #begin(): void {
    const admission = admit(this.#breaker, this.#clock.now(), this.#settings.breaker);
    if (!admission.admitted) {
      this.#wakeNext();
      throw breakerOpen(admission.retryAfterMs);
    }
    this.#breaker = admission.state;
    this.#running += 1;
  }

  /** Gives the place back and tells the breaker how the call ended. */
  leave(event: BreakerEvent, failure?: string): void {
    if (event === 'failed') this.#lastFailure = failure;
    else if (event === 'answered') this.#lastFailure = undefined;
    this.#breaker = settle(this.#breaker, event, this.#clock.now(), this.#settings.breaker);
    this.#running -= 1;
    this.#wakeNext();
  }

  /** Closes the breaker: a person said that the server is well. */
  reset(): void {
    this.#breaker = CLOSED;
  }

  #wait(signal: CancelSignal): Promise<void> {
    if (this.#queue.length >= this.#settings.queueMax) {
      throw new BinderyError('BUSY', { members: { retry_after_ms: 1_000 } });
    }
    return new Promise((resolve, reject) => {
      const wake = () => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = () => {
        this.#queue.splice(this.#queue.indexOf(wake), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#queue.push(wake);
    });
  }

  #wakeNext(): void {
    this.#queue.shift()?.();
  }
}

export const GUARD_DEFAULTS: GuardSettings = { breaker: BREAKER_DEFAULTS, concurrencyMax: 64, queueMax: 256 };

function breakerOpen(retryAfterMs: number): BinderyError {
  return new BinderyError('BREAKER_OPEN', { members: { retry_after_ms: retryAfterMs } });
}
