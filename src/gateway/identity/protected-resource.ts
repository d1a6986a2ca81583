import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import { type KeyScope, SCOPES } from '../keys/api-key.ts';

/** `gateway.auth.oauth` of the person's config. */
export const OAuthSettings = z.strictObject({
  /** Who issues the tokens, exactly as their `iss` says it. */
  issuer: z.string().refine(isSecureUrl, 'must be an https URL (http only on this machine)'),
  /** The resource identifier of `/mcp`: the address that clients use. A profile's is this and `/<profile>`. */
  audience: z.string().refine(isResource, 'must be the https URL of /mcp, without query and fragment'),
  /** Where the keys are; absent: the issuer's metadata says it. */
  jwks_uri: z.string().refine(isSecureUrl, 'must be an https URL (http only on this machine)').optional(),
  /** Scopes that every token needs, beside the one of what it is used for. */
  required_scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).default([]),
  /** What `typ` in the head of an access token may be. RFC 9068 says `at+jwt`; many issuers send `JWT`, or nothing, which is the same: both are the default. */
  token_types: z
    .array(z.string().regex(/^[\w.+/-]{1,64}$/))
    .min(1)
    .optional(),
});
export type OAuthSettings = z.output<typeof OAuthSettings>;

const SCOPE_PREFIX = 'bindery:';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Checks the settings. A mistake in them must not open the gate, so it is an error and nothing is left out. */
export function oauthSettings(written: unknown): OAuthSettings | undefined {
  if (written === undefined) return undefined;
  const parsed = OAuthSettings.safeParse(written);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = ['gateway.auth.oauth', ...(issue?.path ?? [])].join('.');
  throw new BinderyError('AUTH_CONFIG_INVALID', { detail: `${at}: ${issue?.message ?? 'is not valid'}` });
}

/** The resource identifier of a profile: what a token's audience must name to open it. */
export function resourceOf({ audience }: OAuthSettings, profile: string): string {
  return profile === 'default' ? audience : `${audience}/${profile}`;
}

/** Where the metadata of a resource stands (RFC 9728): its path behind the well-known one. */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname}`;
}

/** Which profile a metadata path is about; undefined where it is about none. The root stands for `/mcp`. */
export function profileOfMetadataPath({ audience }: OAuthSettings, path: string): string | undefined {
  if (!path.startsWith(WELL_KNOWN)) return undefined;
  const resource = path.slice(WELL_KNOWN.length).replace(/\/$/, '');
  if (resource === '') return 'default';
  const base = [new URL(audience).pathname, '/mcp'].find((one) => resource === one || resource.startsWith(`${one}/`));
  if (base === undefined) return undefined;
  const name = resource.slice(base.length + 1);
  return name === '' ? 'default' : /^[a-z0-9][a-z0-9-]{0,31}$/.test(name) ? name : undefined;
}

/** What a client needs to get a token for a profile. Scopes are the fewest: clients ask for all that stand here. */
export function resourceMetadata(settings: OAuthSettings, profile: string): Readonly<Record<string, unknown>> {
  return {
    resource: resourceOf(settings, profile),
    authorization_servers: [settings.issuer],
    scopes_supported: scopesFor(settings, 'call'),
    bearer_methods_supported: ['header'],
    resource_name: profile === 'default' ? 'Bindery' : `Bindery (${profile})`,
  };
}

/** The scopes that a token needs for something: those of the config, and its own. */
export function scopesFor({ required_scopes }: OAuthSettings, scope: KeyScope): string[] {
  return [...new Set([...required_scopes, `${SCOPE_PREFIX}${scope}`])];
}

/** Whether a token's scopes are enough; `bindery:admin` includes every scope of ours. */
export function coversScope(settings: OAuthSettings, granted: readonly string[], scope: KeyScope): boolean {
  const own = granted.includes(`${SCOPE_PREFIX}${scope}`) || granted.includes(`${SCOPE_PREFIX}admin`);
  return own && settings.required_scopes.every((required) => granted.includes(required));
}

/** What of a token's scopes is ours, without the prefix. */
export function ownScopes(granted: readonly string[]): KeyScope[] {
  return SCOPES.filter((scope) => granted.includes(`${SCOPE_PREFIX}${scope}`));
}

/** Why a caller is sent away; undefined: it brought no token. */
export type ChallengeReason = 'invalid_token' | 'insufficient_scope' | undefined;

/** The `WWW-Authenticate` of a refusal: where the metadata is, and which scopes to ask for. */
export function challenge(settings: OAuthSettings, profile: string, scope: KeyScope, reason: ChallengeReason): string {
  const parameters = [
    ...(reason === undefined ? [] : [`error="${reason}"`]),
    `resource_metadata="${metadataUrlOf(resourceOf(settings, profile))}"`,
    `scope="${scopesFor(settings, scope).join(' ')}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** https, or http on this machine, and nothing that does not belong into an address. */
export function isSecureUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

function isResource(text: string): boolean {
  const url = URL.parse(text);
  return isSecureUrl(text) && url?.search === '' && url.pathname !== '/' && !text.endsWith('/') && !text.includes('"');
}
