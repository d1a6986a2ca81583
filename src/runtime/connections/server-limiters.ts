import type { Clock } from '../../contract/ports.ts';
import { BREAKER_DEFAULTS } from '../../gateway/throttle/breaker.ts';
import type { ServerEntry } from '../../host/config/server-entry.ts';
import { type RateCounter, RateLimits } from '../../proxy/call/rate-limits.ts';
import { type LimiterSettings, ServerLimiter } from '../../proxy/call/server-limiter.ts';
import { PROXY_LIMITS } from '../../proxy/limits.ts';

export interface ServerLimitersOptions {
  readonly clock: Clock;
  entryOf(server: string): ServerEntry | undefined;
  /** The number of processes that share the concurrency of a server. */
  readonly workers: number;
  /** Rate limits that several nodes share; absent if this node is the only one. */
  readonly rates?: RateCounter | undefined;
}

/** Rate limits, and one limiter per server (circuit breaker, concurrency, queue), created on first use. */
export class ServerLimiters {
  readonly rates: RateCounter;
  readonly #limiters = new Map<string, ServerLimiter>();
  readonly #options: ServerLimitersOptions;

  constructor(options: ServerLimitersOptions) {
    this.#options = options;
    this.rates = options.rates ?? new RateLimits(options.clock);
  }

  of(server: string): ServerLimiter {
    const known = this.#limiters.get(server);
    if (known) return known;
    const limiter = new ServerLimiter(this.#options.clock, this.#settingsOf(server));
    this.#limiters.set(server, limiter);
    return limiter;
  }

  /** Applies the current settings. */
  configure(): void {
    for (const [server, limiter] of this.#limiters) limiter.configure(this.#settingsOf(server));
  }

  /** Calls that are running or waiting in a queue. */
  running(): number {
    return [...this.#limiters.values()].reduce((sum, limiter) => sum + limiter.running + limiter.queued, 0);
  }

  refuseQueued(): void {
    for (const limiter of this.#limiters.values()) limiter.refuseQueued();
  }

  #settingsOf(server: string): LimiterSettings {
    const entry = this.#options.entryOf(server);
    const byTransport = entry?.transport === 'stdio' ? PROXY_LIMITS.stdioConcurrencyMax : PROXY_LIMITS.concurrencyMax;
    return {
      breaker: {
        failures: entry?.breaker?.failures ?? BREAKER_DEFAULTS.failures,
        openMs: entry?.breaker?.open_ms ?? BREAKER_DEFAULTS.openMs,
      },
      concurrencyMax: Math.ceil((entry?.max_concurrency ?? byTransport) / this.#options.workers),
      queueMax: entry?.queue_max ?? PROXY_LIMITS.queueMax,
      ...(entry?.tool_breakers && { toolBreakers: new Set(entry.tool_breakers) }),
    };
  }
}
