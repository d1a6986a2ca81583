import type { GatewayRuntime } from './gateway-runtime.ts';
import { serverItem } from './running-deps.ts';

/** Writes down in the registry how each server is, and when it last said that it is well. */
export function noteHealth(runtime: GatewayRuntime): void {
  runtime.registry.together(() => {
    for (const { configured } of runtime.config.servers) {
      const { id, status, last_health_check } = serverItem(runtime, configured.id);
      runtime.registry.setStatus(id, status, last_health_check ?? undefined);
    }
  });
}
