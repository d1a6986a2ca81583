import type { Dispatcher } from 'undici';
import { notPublicHost } from '../../contract/public-address.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';

export interface OAuthDispatchers {
  /** Reaches the server itself. */
  readonly server: Dispatcher;
  /** Reaches any address. */
  readonly anywhere: Dispatcher;
  /** Reaches public addresses only; created on demand. */
  readonly publicOnly: () => Dispatcher;
}

/**
 * Whether a server's authorization metadata may name private addresses: only if the user configured the server at such an address, or
 * allows it. The addresses that the server's name resolves to do not count, because the server's owner controls them.
 */
export function allowsPrivateEndpoints(serverUrl: URL, configured: OAuthSpec): boolean {
  return configured.allowPrivateEndpoints === true || notPublicHost(serverUrl.hostname) !== undefined;
}

/** Dispatches the requests of a sign-in. Addresses that only the server names must be public. */
export function oauthDispatcher(serverUrl: URL, configured: OAuthSpec, to: OAuthDispatchers): Dispatcher {
  const { authorizationUrl, tokenUrl, registrationUrl } = configured;
  const byUser = new Set([authorizationUrl, tokenUrl, registrationUrl].map((url) => URL.parse(url ?? '')?.origin));
  const allowsPrivate = allowsPrivateEndpoints(serverUrl, configured);
  const choose = (origin: string): Dispatcher => {
    if (origin === serverUrl.origin) return to.server;
    return allowsPrivate || byUser.has(origin) ? to.anywhere : to.publicOnly();
  };
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    choose(String(options.origin)).dispatch(options, handler);
  return { dispatch } as Dispatcher;
}
