import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import { countCall, RATE_WINDOW_MS, type RateWindow } from '../../gateway/throttle/rate-window.ts';
import type { Client } from '../message/client.ts';
import type { Target } from './client-call.ts';

/** Limits of the configuration; limits per tool come from policy. */
export interface ConfiguredLimits {
  readonly client_per_minute?: number | undefined;
  readonly server_per_minute?: number | undefined;
}

/** Counts the calls of a gateway. */
export interface RateCounter {
  /** Throws `RATE_LIMITED` if a limit is used up. Returns a promise if it has to ask the database. */
  count(
    client: Client,
    target: Target,
    toolPerMinute: number | undefined,
    limits: ConfiguredLimits | undefined,
  ): Promise<void> | undefined;
  /** Deletes windows that have ended. */
  reclaim(): void;
}

/** The limits that a call counts against: their keys, and calls per minute. */
export function dueLimits(
  { caller }: Client,
  { server, tool }: Target,
  toolPerMinute: number | undefined,
  limits: ConfiguredLimits | undefined,
): [string, number][] {
  const due: [string, number][] = [];
  if (toolPerMinute !== undefined) due.push([`tool\n${caller}\n${server}\n${tool}`, toolPerMinute]);
  if (limits?.client_per_minute !== undefined) due.push([`client\n${caller}`, limits.client_per_minute]);
  if (limits?.server_per_minute !== undefined) due.push([`server\n${server}`, limits.server_per_minute]);
  return due;
}

/** Counts calls per caller and tool, per caller, and per server. */
export class RateLimits implements RateCounter {
  readonly #clock: Clock;
  readonly #windows = new Map<string, RateWindow>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `RATE_LIMITED` if a limit is used up. */
  count(
    client: Client,
    target: Target,
    toolPerMinute: number | undefined,
    limits: ConfiguredLimits | undefined,
  ): undefined {
    for (const [key, perMinute] of dueLimits(client, target, toolPerMinute, limits)) this.#countOne(key, perMinute);
  }

  /** Deletes windows that have ended. */
  reclaim(): void {
    const oldest = this.#clock.now() - RATE_WINDOW_MS;
    for (const [key, { startedAt }] of this.#windows) if (startedAt < oldest) this.#windows.delete(key);
  }

  #countOne(key: string, perMinute: number): void {
    const verdict = countCall(this.#windows.get(key), perMinute, this.#clock.now());
    if (!verdict.allowed) throw new BinderyError('RATE_LIMITED', { members: { retry_after_ms: verdict.retryAfterMs } });
    this.#windows.set(key, verdict.window);
  }
}
