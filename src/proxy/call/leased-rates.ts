import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import { leaseSize } from '../../gateway/throttle/rate-window.ts';
import type { Client } from '../message/client.ts';
import type { Target } from './client-call.ts';
import { type ConfiguredLimits, dueLimits, type RateCounter } from './rate-limits.ts';

/** A part of a limit that one node may use until the window ends. */
export interface RateLease {
  /** 0: the limit is used up. */
  readonly calls: number;
  readonly endsInMs: number;
}

/** Hands out leases to all nodes; the store implements it. */
export interface RateLeases {
  lease(key: string, perMinute: number, calls: number): Promise<RateLease>;
  /** Deletes windows that have ended. */
  reclaim(): Promise<void>;
}

interface Held {
  left: number;
  readonly perMinute: number;
  readonly endsAt: number;
}

/**
 * Counts calls at one of several nodes. A node leases a tenth of a limit at a time and counts it locally, so most calls need no
 * database query. Together the nodes never let more calls pass than the limit allows.
 */
export class LeasedRates implements RateCounter {
  readonly #clock: Clock;
  readonly #leases: RateLeases;
  readonly #held = new Map<string, Held>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(leases: RateLeases, clock: Clock) {
    this.#leases = leases;
    this.#clock = clock;
  }

  /** Throws `RATE_LIMITED` if a limit is used up. Returns a promise if it has to ask the database for a lease. */
  count(
    client: Client,
    target: Target,
    toolPerMinute: number | undefined,
    limits: ConfiguredLimits | undefined,
  ): Promise<void> | undefined {
    const due = dueLimits(client, target, toolPerMinute, limits);
    while (due[0] && this.#take(...due[0])) due.shift();
    return due.length === 0 ? undefined : this.#countAll(due);
  }

  reclaim(): void {
    const now = this.#clock.now();
    for (const [key, { endsAt }] of this.#held) if (endsAt <= now) this.#held.delete(key);
    this.#leases.reclaim().catch(() => {
      // The next run deletes what this one missed.
    });
  }

  async #countAll(due: readonly [string, number][]): Promise<void> {
    for (const [key, perMinute] of due) while (!this.#take(key, perMinute)) await this.#renew(key, perMinute);
  }

  /** Counts one call against the local lease; false if a new lease is needed. */
  #take(key: string, perMinute: number): boolean {
    const held = this.#held.get(key);
    const now = this.#clock.now();
    if (!held || now >= held.endsAt || held.perMinute !== perMinute) return false;
    if (held.left === 0) return false;
    if (held.left < 0) throw new BinderyError('RATE_LIMITED', { members: { retry_after_ms: held.endsAt - now } });
    held.left -= 1;
    return true;
  }

  /** Requests a lease. Concurrent calls for the same key share one request. */
  #renew(key: string, perMinute: number): Promise<void> {
    const asking = this.#asking.get(key);
    if (asking) return asking;
    const asked = this.#leases
      .lease(key, perMinute, leaseSize(perMinute))
      .then(({ calls, endsInMs }) => {
        // The limit is used up: do not ask again until the window ends.
        const left = calls === 0 ? -1 : calls;
        this.#held.set(key, { left, perMinute, endsAt: this.#clock.now() + endsInMs });
      })
      .finally(() => this.#asking.delete(key));
    this.#asking.set(key, asked);
    return asked;
  }
}
