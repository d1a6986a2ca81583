import type { FetchImplementation, JWTVerifyGetKey } from 'jose';
import type { Dispatcher } from 'undici';
import { notPublicHost } from '../../contract/public-address.ts';
import { IDENTITY_LIMITS as LIMITS } from '../../gateway/identity/limits.ts';
import { isSecureUrl, type OAuthSettings } from '../../gateway/identity/protected-resource.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { lateLibrary } from '../../libraries/late-library.ts';

const remote = lateLibrary<typeof import('jose/jwks/remote')>('jose/jwks/remote');
const undici = lateLibrary<typeof import('undici')>('undici');

/**
 * The signing keys of an authorization server: discovered on first use, cached, and fetched again (rate limited) if a token names an
 * unknown key.
 */
export function signingKeys(
  settings: OAuthSettings,
  now: () => number,
  publicAgent: () => Dispatcher = createPublicAgent,
): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined;
  let retryAt = Number.POSITIVE_INFINITY;
  const find = () => {
    if (found === undefined || now() >= retryAt) {
      retryAt = Number.POSITIVE_INFINITY;
      found = locateKeys(settings, publicAgent);
      found.catch(() => {
        retryAt = now() + LIMITS.discoveryRetryMs;
      });
    }
    return found;
  };
  return async (header, token) => (await find())(header, token);
}

async function locateKeys(
  { issuer, jwks_uri }: OAuthSettings,
  publicAgent: () => Dispatcher,
): Promise<JWTVerifyGetKey> {
  const { createRemoteJWKSet, customFetch } = remote();
  const [from, url] = [new URL(issuer), new URL(jwks_uri ?? (await discoverKeys(issuer)))];
  // The config names the issuer, and perhaps the keys. A public issuer must not redirect us to keys at an internal address.
  const isLed = jwks_uri === undefined && url.origin !== from.origin && notPublicHost(from.hostname) === undefined;
  return createRemoteJWKSet(url, {
    ...(isLed ? { [customFetch]: fetchThrough(publicAgent()) } : {}),
    timeoutDuration: LIMITS.httpTimeoutMs,
    cooldownDuration: LIMITS.jwksCooldownMs,
    cacheMaxAge: LIMITS.jwksMaxAgeMs,
  });
}

function fetchThrough(dispatcher: Dispatcher): FetchImplementation {
  return async (url, options) => {
    const response = await undici().fetch(url, { ...options, headers: [...options.headers], dispatcher });
    return response as unknown as Response;
  };
}

/** RFC 8414 with the path inserted, OpenID Connect with the path inserted, OpenID Connect with the path before it. */
async function discoverKeys(issuer: string): Promise<string> {
  const base = new URL(issuer);
  const path = base.pathname.replace(/\/$/, '');
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  for (const place of new Set(places)) {
    const metadata = await fetchObject(new URL(place, base));
    if (metadata?.issuer === issuer && typeof metadata.jwks_uri === 'string' && isSecureUrl(metadata.jwks_uri))
      return metadata.jwks_uri;
  }
  throw new Error('the authorization server does not say where its keys are');
}

async function fetchObject(url: URL): Promise<Record<string, unknown> | undefined> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(LIMITS.httpTimeoutMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    return undefined;
  }
  const text = await response.text();
  const value: unknown = text.length > LIMITS.metadataBytesMax ? undefined : JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
