import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import { type KeyScope, SCOPES } from '../keys/api-key.ts';

/** `gateway.auth.oauth` of the user's config. */
export const OAuthSettings = z.strictObject({
  /** The issuer of the tokens, exactly as in `iss`. */
  issuer: z.string().refine(isSecureUrl, 'must be an https URL (http only on this machine)'),
  /** The resource identifier of `/mcp`: the URL that clients use. A profile's is this plus `/<profile>`. */
  audience: z.string().refine(isResource, 'must be the https URL of /mcp, without query and fragment'),
  /** The URL of the keys; absent: from the issuer's metadata. */
  jwks_uri: z.string().refine(isSecureUrl, 'must be an https URL (http only on this machine)').optional(),
  /** Scopes that every token needs, in addition to the scope of the operation. */
  required_scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).default([]),
  /**
   * Accepted values of `typ` in the header of an access token. RFC 9068 says `at+jwt`; many issuers send `JWT` or nothing, which is the
   * same. All these are accepted by default.
   */
  token_types: z
    .array(z.string().regex(/^[\w.+/-]{1,64}$/))
    .min(1)
    .optional(),
});
export type OAuthSettings = z.output<typeof OAuthSettings>;

const SCOPE_PREFIX = 'bindery:';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Validates the settings. Any mistake is an error, because leaving a setting out could grant access. */
export function oauthSettings(written: unknown): OAuthSettings | undefined {
  if (written === undefined) return undefined;
  const parsed = OAuthSettings.safeParse(written);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = ['gateway.auth.oauth', ...(issue?.path ?? [])].join('.');
  throw new BinderyError('AUTH_CONFIG_INVALID', { detail: `${at}: ${issue?.message ?? 'is not valid'}` });
}

/** The resource identifier of a profile, which a token's audience must contain. */
export function resourceOf({ audience }: OAuthSettings, profile: string): string {
  return profile === 'default' ? audience : `${audience}/${profile}`;
}

/** The URL of a resource's metadata (RFC 9728): the well-known path, then the resource's path. */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname}`;
}

/** The profile of a metadata path; undefined if there is none. The root stands for `/mcp`. */
export function profileOfMetadataPath({ audience }: OAuthSettings, path: string): string | undefined {
  if (!path.startsWith(WELL_KNOWN)) return undefined;
  const resource = path.slice(WELL_KNOWN.length).replace(/\/$/, '');
  if (resource === '') return 'default';
  const base = [new URL(audience).pathname, '/mcp'].find((one) => resource === one || resource.startsWith(`${one}/`));
  if (base === undefined) return undefined;
  const name = resource.slice(base.length + 1);
  return name === '' ? 'default' : /^[a-z0-9][a-z0-9-]{0,31}$/.test(name) ? name : undefined;
}

/** The metadata that a client needs to get a token for a profile. Lists the fewest scopes, because clients request all of them. */
export function resourceMetadata(settings: OAuthSettings, profile: string): Readonly<Record<string, unknown>> {
  return {
    resource: resourceOf(settings, profile),
    authorization_servers: [settings.issuer],
    scopes_supported: scopesFor(settings, 'call'),
    bearer_methods_supported: ['header'],
    resource_name: profile === 'default' ? 'Bindery' : `Bindery (${profile})`,
  };
}

/** The scopes that a token needs: those of the config, and the one of the operation. */
export function scopesFor({ required_scopes }: OAuthSettings, scope: KeyScope): string[] {
  return [...new Set([...required_scopes, `${SCOPE_PREFIX}${scope}`])];
}

/** Whether a token's scopes suffice; `bindery:admin` includes all our scopes. */
export function coversScope(settings: OAuthSettings, granted: readonly string[], scope: KeyScope): boolean {
  const own = granted.includes(`${SCOPE_PREFIX}${scope}`) || granted.includes(`${SCOPE_PREFIX}admin`);
  return own && settings.required_scopes.every((required) => granted.includes(required));
}

/** Our scopes among those of a token, without the prefix. */
export function ownScopes(granted: readonly string[]): KeyScope[] {
  return SCOPES.filter((scope) => granted.includes(`${SCOPE_PREFIX}${scope}`));
}

/** Why a caller is rejected; undefined: it sent no token. */
export type ChallengeReason = 'invalid_token' | 'insufficient_scope' | undefined;

/** The `WWW-Authenticate` of a rejection: the metadata URL, and the scopes to request. */
export function challenge(settings: OAuthSettings, profile: string, scope: KeyScope, reason: ChallengeReason): string {
  const parameters = [
    ...(reason === undefined ? [] : [`error="${reason}"`]),
    `resource_metadata="${metadataUrlOf(resourceOf(settings, profile))}"`,
    `scope="${scopesFor(settings, scope).join(' ')}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** https, or http on this machine, without credentials and fragments. */
export function isSecureUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

function isResource(text: string): boolean {
  const url = URL.parse(text);
  return isSecureUrl(text) && url?.search === '' && url.pathname !== '/' && !text.endsWith('/') && !text.includes('"');
}
