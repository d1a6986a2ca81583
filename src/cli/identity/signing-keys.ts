import type { JWTVerifyGetKey } from 'jose';
import { lateLibrary } from '../../contract/late-library.ts';
import { IDENTITY_LIMITS as LIMITS } from '../../gateway/identity/limits.ts';
import { isSecureUrl, type OAuthSettings } from '../../gateway/identity/protected-resource.ts';

const remote = lateLibrary<typeof import('jose/jwks/remote')>('jose/jwks/remote');

/** The keys of an authorization server: found on first use, kept, and fetched again in bounds where a token names an unknown one. */
export function signingKeys(settings: OAuthSettings, now: () => number): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined;
  let retryAt = Number.POSITIVE_INFINITY;
  const find = () => {
    if (found === undefined || now() >= retryAt) {
      retryAt = Number.POSITIVE_INFINITY;
      found = locateKeys(settings);
      found.catch(() => {
        retryAt = now() + LIMITS.discoveryRetryMs;
      });
    }
    return found;
  };
  return async (header, token) => (await find())(header, token);
}

async function locateKeys({ issuer, jwks_uri }: OAuthSettings): Promise<JWTVerifyGetKey> {
  return remote().createRemoteJWKSet(new URL(jwks_uri ?? (await discoverKeys(issuer))), {
    timeoutDuration: LIMITS.httpTimeoutMs,
    cooldownDuration: LIMITS.jwksCooldownMs,
    cacheMaxAge: LIMITS.jwksMaxAgeMs,
  });
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
