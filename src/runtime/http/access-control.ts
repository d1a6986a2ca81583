import type { KeyStore } from '../../store/keys/key-store.ts';
import type { UpFlags, UpSettings } from '../up-settings.ts';
import type { OAuthAccess } from '../users/oauth-access.ts';
import {
  type Authenticator,
  type CredentialSettings,
  GatewayAuthenticator,
  needsCredential,
  tokenOf,
} from './credentials.ts';
import { hostHeaderCheck } from './host-header-check.ts';

export interface AccessControlOptions {
  readonly flags: Pick<UpFlags, 'token' | 'host'>;
  /** Where other nodes and readers of the corpus reach this gateway. */
  readonly ownUrls: readonly string[];
}

/** What of a gateway says who may call. */
interface ProtectedGateway extends CredentialSettings {
  readonly stores: { readonly keys: KeyStore };
  readonly access: OAuthAccess;
}

/** Which requests are let in. */
export interface AccessControl {
  readonly credentials: Authenticator;
  acceptsHost(host: string | undefined, origin: string | undefined): boolean;
}

/**
 * Who may call anything at this address, as the config says now. A gateway that began with a credential does not open
 * while it runs: only a start without one accepts that.
 */
export function accessControl(
  gateway: ProtectedGateway,
  settings: UpSettings,
  { flags, ownUrls }: AccessControlOptions,
): AccessControl {
  let isRequired = needsCredential(flags, gateway);
  return {
    acceptsHost: hostHeaderCheck(settings.baseUrl, () => gateway.access.publicUrls, ownUrls),
    credentials: new GatewayAuthenticator({
      token: () => tokenOf(flags, gateway),
      dataDir: settings.dataDir,
      keys: gateway.stores.keys,
      oauth: () => gateway.access.admission,
      required: () => {
        isRequired ||= needsCredential(flags, gateway);
        return isRequired;
      },
    }),
  };
}

/** Hosts, as browsers write them, under which something in front of this gateway serves it over TLS. */
export function tlsHosts(
  { access }: { readonly access: { readonly publicUrls: readonly string[] } },
  ownUrls: readonly string[],
): () => string[] {
  return () => {
    const urls = [...access.publicUrls, ...ownUrls].map((url) => new URL(url));
    return urls.filter(({ protocol }) => protocol === 'https:').map(({ host }) => host);
  };
}
