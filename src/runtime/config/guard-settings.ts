import { BREAKER_DEFAULTS } from '../../gateway/guard/breaker.ts';
import type { ServerEntry } from '../../host/config/server-entry.ts';
import type { LimiterSettings } from '../../proxy/call/server-limiter.ts';
import { PROXY_LIMITS } from '../../proxy/limits.ts';

/** How a server is guarded, by what its entry says; places at it are divided among workers. */
export function guardSettings(
  entry: ServerEntry | undefined,
  { workers }: { readonly workers: number } = { workers: 1 },
): LimiterSettings {
  const byTransport = entry?.transport === 'stdio' ? PROXY_LIMITS.stdioConcurrencyMax : PROXY_LIMITS.concurrencyMax;
  return {
    breaker: {
      failures: entry?.breaker?.failures ?? BREAKER_DEFAULTS.failures,
      openMs: entry?.breaker?.open_ms ?? BREAKER_DEFAULTS.openMs,
    },
    concurrencyMax: Math.ceil((entry?.max_concurrency ?? byTransport) / workers),
    queueMax: entry?.queue_max ?? PROXY_LIMITS.queueMax,
    ...(entry?.tool_breakers && { toolBreakers: new Set(entry.tool_breakers) }),
  };
}
