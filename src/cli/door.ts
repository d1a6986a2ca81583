import { authenticator, needsCredential, tokenOf } from './credentials.ts';
import type { GatewayRuntime } from './gateway/gateway-runtime.ts';
import { hostGuard } from './host-guard.ts';
import type { Door } from './late-api.ts';
import type { UpFlags } from './up-settings.ts';
import type { UpSettings } from './wiring.ts';

/**
 * Who may come in, at every door of this address, as the config says now. A gateway that began with a credential does not open
 * while it runs: only a start without one accepts that.
 */
export function doorOf(runtime: GatewayRuntime, settings: UpSettings, flags: UpFlags): Door {
  let isGuarded = needsCredential(flags, runtime);
  return {
    acceptsHost: hostGuard(settings.baseUrl, () => runtime.access.publicUrls, settings.advertise),
    credentials: authenticator({
      token: () => tokenOf(flags, runtime),
      dataDir: settings.dataDir,
      keys: runtime.keys,
      oauth: () => runtime.access.door,
      required: () => {
        isGuarded ||= needsCredential(flags, runtime);
        return isGuarded;
      },
    }),
  };
}
