import { createHash } from 'node:crypto';
import { IDENTITY_LIMITS } from './limits.ts';

/** What a token whose signature was found right says. */
export interface TokenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The name by which sessions, limits, approvals and the audit log know this person. */
  readonly caller: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** When it ends, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** How the names of people begin; no other caller's does. */
export const PERSON_PREFIX = 'user:';

type Claims = Readonly<Record<string, unknown>>;

const DEFAULT_TYPES: readonly string[] = ['at+jwt', 'JWT'];

/** Reads the claims of a verified token; undefined where one that we need is missing or makes no sense. */
export function readIdentity(claims: Claims): TokenIdentity | undefined {
  const { iss, sub, aud, exp } = claims;
  const audiences = texts(aud);
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || typeof exp !== 'number') return undefined;
  if (audiences.length === 0) return undefined;
  const caller = callerName(iss, sub);
  return { issuer: iss, subject: sub, caller, audiences, scopes: scopesOf(claims), expiresAt: exp * 1_000 };
}

/**
 * Why a token with the issuer's signature does not open anything here: it is not an access token, or whoever sends it would have to prove
 * more than that they have it. Undefined: neither.
 */
export function whyNoBearer(head: Claims, claims: Claims, tokenTypes = DEFAULT_TYPES): string | undefined {
  const type = mediaType(head.typ ?? 'JWT');
  if (!tokenTypes.map(mediaType).includes(type)) return 'its typ is not one of token_types';
  // RFC 7800, 8705 and 9449: only whoever holds the key may use it, and no proof of that is checked here.
  if (claims.cnf !== undefined) return 'it is bound to a key (cnf), and proofs of keys are not checked here';
  return type === 'jwt' && isOtherToken(claims) ? 'it is no access token' : undefined;
}

/** `application/at+jwt` and `at+jwt` are the same, in any case of letters (RFC 7515). */
function mediaType(type: unknown): string {
  return String(type)
    .toLowerCase()
    .replace(/^application\//, '');
}

/**
 * A plain `JWT` may be anything that the issuer signs. Some issuers say in a claim `typ` what it is (`Bearer`, `ID`, `Refresh`, `Logout`);
 * digests of a token or a code and a nonce stand in ID tokens (OpenID Connect), `events` in logout and security event tokens.
 */
function isOtherToken({ typ, nonce, at_hash, c_hash, s_hash, events }: Claims): boolean {
  if (typ !== undefined) return String(typ).toLowerCase() !== 'bearer';
  return [nonce, at_hash, c_hash, s_hash, events].some((claim) => claim !== undefined);
}

/**
 * A name for a person that no other can have: the subject for people to read, and a digest of issuer and subject, since two
 * issuers may know different people by the same one. It is short enough for a session's id.
 */
export function callerName(issuer: string, subject: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url')
    .slice(0, 16);
  const readable = subject.replaceAll(/[^A-Za-z0-9._@|+-]+/g, '_').slice(0, IDENTITY_LIMITS.callerCharsMax);
  return `${PERSON_PREFIX}${readable}#${digest}`;
}

/** `scope` as RFC 9068 has it, or `scp`, as some authorization servers name it. */
function scopesOf({ scope, scp }: Claims): string[] {
  return [scope, scp].flatMap(texts).flatMap((text) => text.split(' ').filter((part) => part !== ''));
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');
}
