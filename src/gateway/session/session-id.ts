import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { GATEWAY_LIMITS } from '../limits.ts';

/** The claims in an `Mcp-Session-Id`: enough to serve a request without a lookup. */
export interface SessionClaims {
  /** Random part: identifies the session in the audit log and the store. */
  readonly s: string;
  /** When it was issued, in seconds. */
  readonly i: number;
  /** Negotiated protocol version. */
  readonly v: string;
  /** Profile. */
  readonly p: string;
  /** Caller. */
  readonly u: string;
  /** The client's capabilities, if they are short. */
  readonly c?: Readonly<Record<string, unknown>>;
  /** The SHA-256 of long capabilities, which are stored in the session's row. */
  readonly h?: string;
}

/** The owner of a session, from its id. */
export interface SessionOwner {
  readonly session: string;
  readonly caller: string;
  readonly expiresAtMs: number;
}

const PREFIX = 'bs1';
/** A session expires one day after its start. */
export const SESSION_LIFETIME_S = 24 * 60 * 60;

/** The capabilities as claims: themselves, or their digest if they are long. */
export function capabilityClaims(capabilities: Readonly<Record<string, unknown>>): Pick<SessionClaims, 'c' | 'h'> {
  const text = JSON.stringify(capabilities);
  if (Buffer.byteLength(text) <= GATEWAY_LIMITS.sessionCapabilityBytesMax) return { c: capabilities };
  return { h: createHash('sha256').update(text).digest('hex') };
}

/** Signs the claims into an id that any node with the key can verify. */
export function signSession(claims: SessionClaims, key: Uint8Array): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${PREFIX}.${payload}.${signature(payload, key).toString('base64url')}`;
}

/** The claims of an id, if one of the keys signed it and it has not expired; otherwise undefined. */
export function readSession(id: string, keys: readonly Uint8Array[], nowMs: number): SessionClaims | undefined {
  if (id.length > GATEWAY_LIMITS.sessionIdCharsMax) return undefined;
  const [prefix, payload, signed, ...rest] = id.split('.');
  if (prefix !== PREFIX || !payload || !signed || rest.length > 0) return undefined;
  const given = Buffer.from(signed, 'base64url');
  const valid = keys.some((key) => {
    const expected = signature(payload, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!valid) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as SessionClaims;
  return nowMs / 1_000 - claims.i < SESSION_LIFETIME_S ? claims : undefined;
}

function signature(payload: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${PREFIX}.${payload}`).digest();
}
