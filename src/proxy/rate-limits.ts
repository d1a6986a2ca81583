import { BinderyError } from '../contract/errors.ts';
import type { Clock } from '../contract/ports.ts';
import { countCall, RATE_WINDOW_MS, type RateWindow } from '../gateway/guard/rate-window.ts';
import type { Target } from './attempt.ts';
import type { Client } from './client.ts';

/** Limits of the configuration; those of a tool come from policy. */
export interface ConfiguredLimits {
  readonly client_per_minute?: number | undefined;
  readonly server_per_minute?: number | undefined;
}

/** Who counts the calls of a gateway. */
export interface RateCounter {
  /** Throws `RATE_LIMITED` where one of the limits is used up; a promise where it takes time to know. */
  count(
    client: Client,
    target: Target,
    toolPerMinute: number | undefined,
    limits: ConfiguredLimits | undefined,
  ): Promise<void> | undefined;
  /** Forgets windows that have ended. */
  reclaim(): void;
}

/** Counts calls per caller and tool, per caller, and per server. */
export class RateLimits implements RateCounter {
  readonly #clock: Clock;
  readonly #windows = new Map<string, RateWindow>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `RATE_LIMITED` where one of the limits is used up. */
  count(
    client: Client,
    target: Target,
    toolPerMinute: number | undefined,
    limits: ConfiguredLimits | undefined,
  ): undefined {
    const { client_per_minute: clientPerMinute, server_per_minute: serverPerMinute } = limits ?? {};
    if (toolPerMinute !== undefined)
      this.#countOne(`tool\n${client.caller}\n${target.server}\n${target.tool}`, toolPerMinute);
    if (clientPerMinute !== undefined) this.#countOne(`client\n${client.caller}`, clientPerMinute);
    if (serverPerMinute !== undefined) this.#countOne(`server\n${target.server}`, serverPerMinute);
  }

  /** Forgets windows that have ended. */
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
