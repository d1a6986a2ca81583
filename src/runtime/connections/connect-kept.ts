import type { GatewayRuntime } from '../gateway-runtime.ts';

/** Connects the servers whose entries ask for a connection that stays. */
export function connectKept({ config, host }: Pick<GatewayRuntime, 'config' | 'host'>): void {
  for (const { configured } of config.servers) {
    if (configured.entry?.keep_alive && host.statusOf(configured.id)?.connected === false) {
      host.connection(configured.id).catch(() => {
        // The state tells it.
      });
    }
  }
}
