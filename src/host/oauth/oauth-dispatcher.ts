import type { Dispatcher } from 'undici';
import { notPublicHost } from '../../contract/public-address.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';

export interface OAuthDispatchers {
  /** Reaches the server itself. */
  readonly server: Dispatcher;
  /** Reaches every address. */
  readonly anywhere: Dispatcher;
  /** Reaches public addresses; asked for when it is needed. */
  readonly publicOnly: () => Dispatcher;
}

/**
 * Whether what a server says about its authorization may lead to private addresses: the user configured the server at such
 * an address, or allows it. What the server's name resolves to does not count, since the server's owner chooses that.
 */
export function mayLeadInside(serverUrl: URL, configured: OAuthSpec): boolean {
  return configured.allowPrivateEndpoints === true || notPublicHost(serverUrl.hostname) !== undefined;
}

/** Carries the requests of a sign-in: where the server itself leads them, to public addresses only. */
export function oauthDispatcher(serverUrl: URL, configured: OAuthSpec, to: OAuthDispatchers): Dispatcher {
  const { authorizationUrl, tokenUrl, registrationUrl } = configured;
  const byUser = new Set([authorizationUrl, tokenUrl, registrationUrl].map((url) => URL.parse(url ?? '')?.origin));
  const isInsideAllowed = mayLeadInside(serverUrl, configured);
  const choose = (origin: string): Dispatcher => {
    if (origin === serverUrl.origin) return to.server;
    return isInsideAllowed || byUser.has(origin) ? to.anywhere : to.publicOnly();
  };
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    choose(String(options.origin)).dispatch(options, handler);
  return { dispatch } as Dispatcher;
}
