import type { Dispatcher } from 'undici';
import type { JsonObject } from '../../contract/json.ts';
import { notPublicHost } from '../../contract/public-address.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { HostNotPublic } from '../transports/public-agent.ts';
import type { BearerChallenge } from './challenge.ts';
import { privateEndpoint, requestJson, secureUrl } from './http-json.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { allowsPrivateEndpoints } from './oauth-dispatcher.ts';
import { OAuthError } from './oauth-error.ts';

/** Where and how to get authorization for a server. */
export interface AuthorizationPlan {
  /** The identifier of the authorization server; tokens are bound to it. */
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: URL;
  readonly registrationEndpoint: URL | undefined;
  readonly authMethods: readonly string[];
  /** Whether the redirect must carry `iss`. */
  readonly issuerInRedirect: boolean;
  /** False: the issuer is only our label for configured endpoints, so it cannot be compared with a redirect's `iss`. */
  readonly issuerKnown: boolean;
  readonly acceptsMetadataDocument: boolean;
  /** The canonical URL of the server, for the `resource` parameter. */
  readonly resource: string;
  readonly resourceScopes: string | undefined;
  /** The authorization server issues refresh tokens for `offline_access`. */
  readonly offersOfflineAccess: boolean;
}

/**
 * Discovers the authorization server of a server: tries the metadata URL of the header (if it has the server's own origin), the
 * well-known URI with the path, and the one at the root; then reads the authorization server's own metadata. Configured endpoints
 * override it field by field. Undefined: there is none.
 */
export async function discoverAuthorization(
  dispatcher: Dispatcher,
  serverUrl: URL,
  challenge: BearerChallenge,
  configured: OAuthSpec,
  signal: AbortSignal | undefined,
): Promise<AuthorizationPlan | undefined> {
  const resource = await findResource(dispatcher, serverUrl, challenge, signal);
  if (resource !== undefined) checkResource(resource.resource, serverUrl);
  const { authorizationUrl, tokenUrl, registrationUrl } = configured;
  const listed = stringList(resource?.authorization_servers);
  // Before resource metadata existed, the server's own origin was its authorization server.
  const issuers = listed.length > 0 ? listed.slice(0, LIMITS.authorizationServersMax) : [serverUrl.origin];
  const server =
    authorizationUrl !== undefined && tokenUrl !== undefined
      ? await findServer(dispatcher, issuers, signal).catch(() => undefined)
      : await findServer(dispatcher, issuers, signal);
  if (server === undefined && (authorizationUrl === undefined || tokenUrl === undefined)) return undefined;
  const metadata = server?.metadata ?? {};
  if (authorizationUrl === undefined) requirePkce(metadata);
  const endpoint = (byUser: string | undefined, byServer: unknown, what: string) =>
    byUser === undefined ? checkedEndpoint(secureUrl(byServer, what), serverUrl, configured) : secureUrl(byUser, what);
  const tokenEndpoint = endpoint(tokenUrl, metadata.token_endpoint, 'token endpoint');
  const needsRegistration =
    configured.clientId === undefined && (registrationUrl ?? metadata.registration_endpoint) !== undefined;
  return {
    issuer: server?.issuer ?? tokenEndpoint.origin,
    issuerKnown: server !== undefined,
    authorizationEndpoint: endpoint(authorizationUrl, metadata.authorization_endpoint, 'authorization endpoint'),
    tokenEndpoint,
    registrationEndpoint: needsRegistration
      ? endpoint(registrationUrl, metadata.registration_endpoint, 'registration endpoint')
      : undefined,
    authMethods: stringList(metadata.token_endpoint_auth_methods_supported),
    issuerInRedirect: metadata.authorization_response_iss_parameter_supported === true,
    acceptsMetadataDocument: metadata.client_id_metadata_document_supported === true,
    resource: typeof resource?.resource === 'string' ? resource.resource : canonicalUrl(serverUrl),
    resourceScopes: stringList(resource?.scopes_supported).join(' ') || undefined,
    offersOfflineAccess: stringList(metadata.scopes_supported).includes('offline_access'),
  };
}

async function findResource(
  dispatcher: Dispatcher,
  serverUrl: URL,
  challenge: BearerChallenge,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  const path = serverUrl.pathname === '/' ? '' : serverUrl.pathname;
  const wellKnown = '/.well-known/oauth-protected-resource';
  const named = challenge.resourceMetadata === undefined ? undefined : URL.parse(challenge.resourceMetadata);
  // Accept metadata from the server's own origin only: otherwise a server could make us request any address.
  const isOwn = named?.origin === serverUrl.origin && named.username === '' && named.password === '';
  const places = isOwn
    ? [named]
    : [...new Set([`${wellKnown}${path}`, wellKnown])].map((place) => new URL(place + serverUrl.search, serverUrl));
  for (const url of places) {
    const body = await getMetadata(dispatcher, url, signal);
    if (body !== undefined) return body;
  }
  if (challenge.resourceMetadata === undefined || isOwn) return undefined;
  throw new OAuthError('foreign_metadata', `the server names resource metadata that is not at ${serverUrl.origin}`);
}

/** Checks an address from the server or its authorization server; the person's browser must not be sent to private addresses either. */
function checkedEndpoint(url: URL, serverUrl: URL, configured: OAuthSpec): URL {
  const reason = notPublicHost(url.hostname);
  if (reason === undefined || allowsPrivateEndpoints(serverUrl, configured)) return url;
  throw privateEndpoint(new HostNotPublic(url.hostname, reason));
}

async function findServer(dispatcher: Dispatcher, issuers: readonly string[], signal: AbortSignal | undefined) {
  let failure: unknown;
  for (const issuer of issuers) {
    try {
      const found = await findIssuer(dispatcher, issuer, signal);
      if (found !== undefined) return found;
    } catch (thrown) {
      // An unreachable one says nothing about the next.
      if (!(thrown instanceof OAuthError) || thrown.code !== 'unreachable') throw thrown;
      failure = thrown;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

async function findIssuer(dispatcher: Dispatcher, issuer: string, signal: AbortSignal | undefined) {
  const base = secureUrl(issuer, 'authorization server');
  for (const url of metadataPlaces(base)) {
    const metadata = await getMetadata(dispatcher, url, signal);
    if (metadata === undefined) continue;
    if (!isSameIssuer(metadata.issuer, issuer)) {
      throw new OAuthError('issuer_mismatch', `${base.origin} presents the metadata of another authorization server`);
    }
    return { issuer: metadata.issuer as string, metadata };
  }
  return undefined;
}

/** RFC 8414 with the path inserted, OpenID Connect with the path inserted, OpenID Connect with the path prepended. */
function metadataPlaces(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(places)].map((place) => new URL(place, issuer));
}

async function getMetadata(
  dispatcher: Dispatcher,
  url: URL,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  const { status, body } = await requestJson(
    dispatcher,
    { url, method: 'GET', headers: { accept: 'application/json' } },
    signal,
  );
  if (status >= 500) throw new OAuthError('unreachable', `${url.origin} answered HTTP ${status}`);
  return status === 200 ? body : undefined;
}

/** A server may describe itself or a part of its origin, never another origin. */
function checkResource(value: unknown, serverUrl: URL): void {
  const resource = typeof value === 'string' ? URL.parse(value) : null;
  const path = resource?.pathname.replace(/\/$/, '') ?? '';
  const fits = resource?.origin === serverUrl.origin && `${serverUrl.pathname}/`.startsWith(`${path}/`);
  if (!fits) throw new OAuthError('resource_mismatch', 'the resource metadata is about another server');
}

function requirePkce(metadata: JsonObject): void {
  if (!stringList(metadata.code_challenge_methods_supported).includes('S256')) {
    throw new OAuthError('pkce_unsupported', 'the authorization server does not say that it supports PKCE with S256');
  }
}

function isSameIssuer(value: unknown, expected: string): boolean {
  // URL libraries add one slash to a bare origin: ignore that difference.
  return typeof value === 'string' && value.replace(/\/$/, '') === expected.replace(/\/$/, '');
}

/** The server's URL without fragment; a bare origin without its slash. */
export function canonicalUrl(url: URL): string {
  const copy = new URL(url);
  copy.hash = '';
  return copy.pathname === '/' && copy.search === '' ? copy.origin : copy.href;
}

function stringList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** A scope as in RFC 6749: printable ASCII without blanks, quotation marks and backslashes. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** The scopes of several lists without duplicates, in order of first mention; undefined if there are none. */
export function unionScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const all = new Set(lists.flatMap((list) => list?.split(' ') ?? []).filter((scope) => SCOPE.test(scope)));
  return all.size === 0 ? undefined : [...all].slice(0, LIMITS.scopesMax).join(' ');
}

/** Whether every scope of `wanted` is in `had`. */
export function coversScopes(had: string | undefined, wanted: string | undefined): boolean {
  const owned = new Set(had?.split(' '));
  return (wanted?.split(' ') ?? []).every((scope) => scope === '' || owned.has(scope));
}
