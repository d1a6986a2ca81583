import type { GatewayRuntime } from './gateway-runtime.ts';
import { noteHealth } from './note-health.ts';

const DAY_MS = 86_400_000;

/** Takes down what is known of the servers and lets go of what nobody needs any more, as one transaction. */
export function keepRegistry(runtime: GatewayRuntime, now: number): void {
  const { registry, approvalStore, config, shared } = runtime;
  registry.together(() => {
    registry.reclaimSessions(now);
    // What nodes share is not one node's to delete.
    if (!shared)
      approvalStore.reclaim(new Date(now).toISOString(), keptSince(config.settings.audit?.retention_days, now));
    noteHealth(runtime);
  });
}

/** Questions are kept as long as the records of their calls; undefined: for ever. */
function keptSince(days: number | undefined, now: number): string | undefined {
  return days === undefined ? undefined : new Date(now - days * DAY_MS).toISOString();
}
