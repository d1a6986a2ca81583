import { authenticator, needsCredential, tokenOf } from './credentials.ts';
import type { GatewayRuntime } from './gateway/gateway-runtime.ts';
import { hostGuard } from './host-guard.ts';
import type { Door } from './late-api.ts';
import { readCivicConfig } from './rooms/civic-config.ts';
import type { UpFlags } from './up-settings.ts';
import type { UpSettings } from './wiring.ts';

/**
 * Who may come in, at every door of this address, as the config says now. A gateway that began with a credential does not open
 * while it runs: only a start without one accepts that.
 */
export function doorOf(runtime: GatewayRuntime, settings: UpSettings, flags: UpFlags): Door {
  let isGuarded = needsCredential(flags, runtime);
  return {
    acceptsHost: hostGuard(settings.baseUrl, () => runtime.access.publicUrls, ownUrls(settings)),
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

/** Hosts, as browsers write them, under which something in front of this gateway serves it over TLS. */
export function tlsHosts({ access }: GatewayRuntime, settings: UpSettings): () => string[] {
  // Read once: a config that breaks later must not stop requests.
  const own = ownUrls(settings);
  return () => {
    const urls = [...access.publicUrls, ...own].map((url) => new URL(url));
    return urls.filter(({ protocol }) => protocol === 'https:').map(({ host }) => host);
  };
}

/** Where other nodes and readers of the corpus reach this gateway. */
function ownUrls({ advertise, configFile }: UpSettings): string[] {
  return [advertise, readCivicConfig(configFile).base_url].filter((url) => url !== undefined);
}
