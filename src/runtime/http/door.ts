import type { GatewayRuntime } from '../gateway-runtime.ts';
import type { UpFlags, UpSettings } from '../up-settings.ts';
import { authenticator, needsCredential, tokenOf } from './credentials.ts';
import { hostGuard } from './host-guard.ts';
import type { Door } from './late-api.ts';

export interface DoorOptions {
  readonly flags: Pick<UpFlags, 'token' | 'host'>;
  /** Where other nodes and readers of the corpus reach this gateway. */
  readonly ownUrls: readonly string[];
}

/**
 * Who may come in, at every door of this address, as the config says now. A gateway that began with a credential does not open
 * while it runs: only a start without one accepts that.
 */
export function doorOf(runtime: GatewayRuntime, settings: UpSettings, { flags, ownUrls }: DoorOptions): Door {
  let isGuarded = needsCredential(flags, runtime);
  return {
    acceptsHost: hostGuard(settings.baseUrl, () => runtime.access.publicUrls, ownUrls),
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
export function tlsHosts({ access }: GatewayRuntime, ownUrls: readonly string[]): () => string[] {
  return () => {
    const urls = [...access.publicUrls, ...ownUrls].map((url) => new URL(url));
    return urls.filter(({ protocol }) => protocol === 'https:').map(({ host }) => host);
  };
}
