import { createHash } from 'node:crypto';
import { IDENTITY_LIMITS } from './limits.ts';

/** The identity in a verified token. */
export interface TokenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The caller name of this person in sessions, limits, approvals and the audit log. */
  readonly caller: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The prefix of people's caller names; no other caller has it. */
export const PERSON_PREFIX = 'user:';

type Claims = Readonly<Record<string, unknown>>;

const DEFAULT_TYPES: readonly string[] = ['at+jwt', 'JWT'];

/** Reads the claims of a verified token; undefined if a required one is missing or invalid. */
export function readIdentity(claims: Claims): TokenIdentity | undefined {
  const { iss, sub, aud, exp } = claims;
  const audiences = texts(aud);
  if (typeof iss !== 'string' || typeof sub !== 'string' || sub === '' || typeof exp !== 'number') return undefined;
  if (audiences.length === 0) return undefined;
  const caller = callerName(iss, sub);
  return { issuer: iss, subject: sub, caller, audiences, scopes: scopesOf(claims), expiresAt: exp * 1_000 };
}

/** Why a validly signed token is rejected: it is not an access token, or it needs a proof of possession. Undefined: neither. */
export function whyNoBearer(head: Claims, claims: Claims, tokenTypes = DEFAULT_TYPES): string | undefined {
  const type = mediaType(head.typ ?? 'JWT');
  if (!tokenTypes.map(mediaType).includes(type)) return 'its typ is not one of token_types';
  // RFC 7800, 8705 and 9449: only the holder of the key may use it, and that proof is not checked here.
  if (claims.cnf !== undefined) return 'it is bound to a key (cnf), and proofs of keys are not checked here';
  return type === 'jwt' && isOtherToken(claims) ? 'it is no access token' : undefined;
}

/** `application/at+jwt` and `at+jwt` are equal, ignoring case (RFC 7515). */
function mediaType(type: unknown): string {
  return String(type)
    .toLowerCase()
    .replace(/^application\//, '');
}

/**
 * A plain `JWT` may be any token of the issuer. Some issuers name its type in a claim `typ` (`Bearer`, `ID`, `Refresh`, `Logout`). ID
 * tokens (OpenID Connect) contain digests of a token or code and a nonce; logout and security event tokens contain `events`.
 */
function isOtherToken({ typ, nonce, at_hash, c_hash, s_hash, events }: Claims): boolean {
  if (typ !== undefined) return String(typ).toLowerCase() !== 'bearer';
  return [nonce, at_hash, c_hash, s_hash, events].some((claim) => claim !== undefined);
}

/**
 * A unique caller name: the readable subject, and a digest of issuer and subject, because two issuers may use the same subject for
 * different people. Short enough for a session id.
 */
export function callerName(issuer: string, subject: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url')
    .slice(0, 16);
  const readable = subject.replaceAll(/[^A-Za-z0-9._@|+-]+/g, '_').slice(0, IDENTITY_LIMITS.callerCharsMax);
  return `${PERSON_PREFIX}${readable}#${digest}`;
}

/** `scope` as in RFC 9068, or `scp`, as some authorization servers call it. */
function scopesOf({ scope, scp }: Claims): string[] {
  return [scope, scp].flatMap(texts).flatMap((text) => text.split(' ').filter((part) => part !== ''));
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === 'string');
}
