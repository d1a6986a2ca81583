import { BREAKER_DEFAULTS } from '../../gateway/guard/breaker.ts';
import type { ServerEntry } from '../../host/config/server-entry.ts';
import { PROXY_LIMITS } from '../../proxy/limits.ts';
import type { GuardSettings } from '../../proxy/server-guard.ts';

/** How a server is guarded, by what its entry says. */
export function guardSettings(entry: ServerEntry | undefined): GuardSettings {
  const concurrencyMax = entry?.transport === 'stdio' ? PROXY_LIMITS.stdioConcurrencyMax : PROXY_LIMITS.concurrencyMax;
  return {
    breaker: {
      failures: entry?.breaker?.failures ?? BREAKER_DEFAULTS.failures,
      openMs: entry?.breaker?.open_ms ?? BREAKER_DEFAULTS.openMs,
    },
    concurrencyMax: entry?.max_concurrency ?? concurrencyMax,
    queueMax: entry?.queue_max ?? PROXY_LIMITS.queueMax,
  };
}
