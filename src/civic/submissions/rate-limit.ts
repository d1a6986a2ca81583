import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import { CIVIC_LIMITS, type SubmissionType } from '../config.ts';
import { nextUtcDay } from '../trust/salts.ts';
import type { DayItem } from './civic-store.ts';

/** What remains of a limit: a count, and the seconds until it refills. */
export interface Allowance {
  readonly left: number;
  readonly seconds: number;
}

/** Sliding window: at most `requests` per window and daily hash. In memory only; old entries expire. */
export class SlidingLimit {
  readonly #requests: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #times = new Map<string, number[]>();
  #sweepAt = 0;

  constructor(limit: { readonly requests: number; readonly window_seconds: number }, clock: Clock) {
    this.#requests = limit.requests;
    this.#windowMs = limit.window_seconds * 1000;
    this.#clock = clock;
  }

  /** Counts one request, unless the limit is reached. */
  take(key: string): boolean {
    const now = this.#clock.now();
    this.#sweep(now);
    const times = this.#recent(key, now);
    if (times.length >= this.#requests) return false;
    times.push(now);
    this.#times.set(key, times);
    return true;
  }

  allowance(key: string): Allowance {
    const now = this.#clock.now();
    const times = this.#recent(key, now);
    const oldest = times[0] ?? now;
    return { left: this.#requests - times.length, seconds: secondsUntil(oldest + this.#windowMs, now) };
  }

  #recent(key: string, now: number): number[] {
    const times = this.#times.get(key) ?? [];
    const from = times.findIndex((time) => time > now - this.#windowMs);
    return from < 0 ? [] : from === 0 ? times : times.slice(from);
  }

  /** Drops expired entries, once per window. */
  #sweep(now: number): void {
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + this.#windowMs;
    for (const [key, times] of this.#times) {
      if ((times.at(-1) ?? 0) <= now - this.#windowMs) this.#times.delete(key);
    }
  }
}

/** Refuses an item beyond the daily limit, overall or of its type [X1]. */
export function requireDayAllowance(type: SubmissionType, today: readonly DayItem[], now: number): void {
  const policy =
    today.length >= CIVIC_LIMITS.day.items
      ? 'day'
      : today.filter((item) => item.type === type).length >= CIVIC_LIMITS.day[type]
        ? `day:${type}`
        : undefined;
  if (policy) throw rateLimited(policy, secondsUntil(nextUtcDay(now), now));
}

/** The error for an exhausted daily limit. */
export function dayLimited(what: string, now: number): BinderyError {
  return rateLimited(`day:${what}`, secondsUntil(nextUtcDay(now), now));
}

/** What remains of the daily limit after `taken` items. */
export function dayAllowance(taken: number, now: number): Allowance {
  return { left: Math.max(0, CIVIC_LIMITS.day.items - taken), seconds: secondsUntil(nextUtcDay(now), now) };
}

export function rateLimited(policy: string, seconds: number): BinderyError {
  return new BinderyError('rate_limited', { members: { retry_after_seconds: seconds, retry_policy: policy } });
}

/** `RateLimit-Policy`: the two limits of a writer [X3]. */
export const RATE_LIMIT_POLICY = `"burst";q=${CIVIC_LIMITS.burst.requests};w=${CIVIC_LIMITS.burst.window_seconds}, "day";q=${CIVIC_LIMITS.day.items};w=86400`;

/** `RateLimit`: the tighter of the two limits. */
export function rateLimitText(burst: Allowance, day: Allowance): string {
  const [name, tighter] = day.left < burst.left ? ['day', day] : ['burst', burst];
  return `"${name}";r=${tighter.left};t=${tighter.seconds}`;
}

function secondsUntil(then: number, now: number): number {
  return Math.max(1, Math.ceil((then - now) / 1000));
}

/** Refuses a sender who already has too many held submissions today. */
export function requireHeldAllowance(held: number, now: number): void {
  if (held >= CIVIC_LIMITS.day.held) throw dayLimited('held', now);
}
