import { isLoopbackHost } from '../../contract/public-address.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import type { KeyStore } from '../../store/keys/key-store.ts';
import type { UpFlags, UpSettings } from '../up-settings.ts';
import type { OAuthAccess } from '../users/oauth-access.ts';
import { type Authenticator, GatewayAuthenticator } from './credentials.ts';
import { hostHeaderCheck } from './host-header-check.ts';

/** Whether only programs on this machine can reach the address. Names below `localhost` do not count: not every resolver knows them. */
export function isLoopback(host: string): boolean {
  return isLoopbackHost(host) && !/\.localhost\.?$/i.test(host);
}

/** The settings that decide which credentials callers need. */
interface CredentialSettings {
  readonly config: { readonly settings: GatewaySettings };
  readonly access: { readonly verifier: object | undefined };
}

/** The token of the command line, otherwise that of the person's config. */
export function tokenOf(flags: Pick<UpFlags, 'token'>, { config }: CredentialSettings): string | undefined {
  return flags.token ?? config.settings.auth?.token;
}

/** Whether callers without a credential are refused. */
export function needsCredential(flags: Pick<UpFlags, 'token' | 'host'>, served: CredentialSettings): boolean {
  return hasCredential(flags, served) || !isLoopback(flags.host);
}

/** Whether a token or an issuer is set. */
function hasCredential(flags: Pick<UpFlags, 'token'>, served: CredentialSettings): boolean {
  return tokenOf(flags, served) !== undefined || served.access.verifier !== undefined;
}

export interface AccessControlOptions {
  readonly flags: Pick<UpFlags, 'token' | 'host'>;
  /** Addresses under which other nodes and readers of the corpus reach this gateway. */
  readonly ownUrls: readonly string[];
}

/** The parts of a gateway that decide who may call. */
interface ProtectedGateway extends CredentialSettings {
  readonly stores: { readonly keys: KeyStore };
  readonly access: OAuthAccess;
}

/** Decides which requests are admitted. */
export interface AccessControl {
  readonly credentials: Authenticator;
  /** Whether callers without a credential are refused now. */
  isRequired(): boolean;
  acceptsHost(host: string | undefined, origin: string | undefined): boolean;
}

/**
 * Access rules for this address by the current config. A gateway that started with a credential never drops that requirement while it
 * runs; only a restart can.
 */
export function accessControl(
  gateway: ProtectedGateway,
  settings: UpSettings,
  { flags, ownUrls }: AccessControlOptions,
): AccessControl {
  let wasRequired = needsCredential(flags, gateway);
  const isRequired = () => {
    // Each request asks this. The address stays the same, and only the config can change.
    wasRequired ||= hasCredential(flags, gateway);
    return wasRequired;
  };
  return {
    isRequired,
    acceptsHost: hostHeaderCheck(settings.baseUrl, () => gateway.access.publicUrls, ownUrls),
    credentials: new GatewayAuthenticator({
      token: () => tokenOf(flags, gateway),
      dataDir: settings.dataDir,
      keys: gateway.stores.keys,
      oauth: () => gateway.access.admission,
      required: isRequired,
    }),
  };
}

/** Hosts, as browsers write them, under which a TLS proxy serves this gateway. */
export function tlsHosts(
  { access }: { readonly access: { readonly publicUrls: readonly string[] } },
  ownUrls: readonly string[],
): () => string[] {
  return () => {
    const urls = [...access.publicUrls, ...ownUrls].map((url) => new URL(url));
    return urls.filter(({ protocol }) => protocol === 'https:').map(({ host }) => host);
  };
}
