import { setMaxListeners } from 'node:events';
import type { errors as JoseErrors, JWTVerifyGetKey, JWTVerifyResult } from 'jose';
import { BinderyError } from '../../contract/errors.ts';
import { IDENTITY_LIMITS as LIMITS } from '../../gateway/identity/limits.ts';
import type { OAuthSettings } from '../../gateway/identity/protected-resource.ts';
import { readIdentity, type TokenIdentity, whyNoBearer } from '../../gateway/identity/token-identity.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { signingKeys } from './signing-keys.ts';

// All of jose is three times as much.
const verify = lateLibrary<typeof import('jose/jwt/verify')>('jose/jwt/verify');
const joseErrors = lateLibrary<typeof import('jose/errors')>('jose/errors');

/** Signatures of a key pair only: who could check one made with a shared secret could make one as well. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'Ed25519',
  'EdDSA',
];

interface Verified {
  readonly identity: TokenIdentity;
  readonly until: number;
}

/** Checks tokens of one authorization server. A token that was found right is not checked again for a while. */
export class TokenVerifier {
  readonly settings: OAuthSettings;
  readonly #over = new AbortController();
  readonly #keys: JWTVerifyGetKey;
  readonly #now: () => number;
  /** The token that was used last stands last. */
  readonly #verified = new Map<string, Verified>();
  readonly #people = new Map<string, string>();

  constructor(settings: OAuthSettings, now: () => number, keys: JWTVerifyGetKey = signingKeys(settings, now)) {
    this.settings = settings;
    // As many as there are streams that its tokens opened.
    setMaxListeners(0, this.#over.signal);
    this.#keys = keys;
    this.#now = now;
  }

  /** Aborted when its tokens open nothing any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Refuses every token from now on; streams that one of them opened end. */
  close(): void {
    this.#over.abort();
    this.#verified.clear();
  }

  /** Whether a bearer credential looks like one of ours to check. */
  static isToken(text: string): boolean {
    return text.length <= LIMITS.tokenCharsMax && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
  }

  /** Who a token is for; at once where it is known. Throws `TOKEN_REFUSED` or `ISSUER_UNREACHABLE`. */
  identify(token: string): TokenIdentity | Promise<TokenIdentity> {
    return this.known(token) ?? this.#verify(token);
  }

  /** Who a token that was verified before is for. */
  known(token: string): TokenIdentity | undefined {
    const verified = this.#verified.get(token);
    if (!verified) return undefined;
    this.#verified.delete(token);
    if (verified.until <= this.#now()) return undefined;
    this.#verified.set(token, verified);
    return verified.identity;
  }

  /** Issuer and subject of a caller whose token was verified here; undefined for any other caller. */
  userOf(caller: string): string | undefined {
    return this.#people.get(caller);
  }

  async #verify(token: string): Promise<TokenIdentity> {
    const { protectedHeader, payload } = await this.#signed(token);
    const why = whyNoBearer({ ...protectedHeader }, payload, this.settings.token_types);
    if (why !== undefined) throw new BinderyError('TOKEN_REFUSED', { detail: why });
    const identity = readIdentity(payload);
    if (!identity) throw new BinderyError('TOKEN_REFUSED', { detail: 'it lacks a subject or an audience' });
    const until = Math.min(identity.expiresAt + LIMITS.clockToleranceS * 1_000, this.#now() + LIMITS.verifiedMsMax);
    keep(this.#verified, token, { identity, until });
    keep(this.#people, identity.caller, `${identity.issuer} ${identity.subject}`);
    return identity;
  }

  async #signed(token: string): Promise<JWTVerifyResult> {
    try {
      return await verify().jwtVerify(token, this.#keys, {
        issuer: this.settings.issuer,
        algorithms: ALGORITHMS,
        clockTolerance: LIMITS.clockToleranceS,
        currentDate: new Date(this.#now()),
        requiredClaims: ['sub', 'exp', 'aud'],
      });
    } catch (cause) {
      throw refusal(cause);
    }
  }
}

/** Puts an entry last; the first gives way where there are too many. */
function keep<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > LIMITS.verifiedTokensMax && oldest !== undefined) entries.delete(oldest);
}

/** What a token is refused for is told; that its keys could not be had is not the token's fault. */
function refusal(cause: unknown): BinderyError {
  const errors = joseErrors();
  if (cause instanceof errors.JWKSTimeout || !(cause instanceof errors.JOSEError) || isFetchFailure(cause)) {
    return new BinderyError('ISSUER_UNREACHABLE', { cause });
  }
  const detail =
    cause instanceof errors.JWTExpired
      ? 'it has expired'
      : cause instanceof errors.JWTClaimValidationFailed
        ? `its ${cause.claim} is not what it must be`
        : 'its signature is not one of the authorization server';
  return new BinderyError('TOKEN_REFUSED', { detail, cause });
}

/** An answer of the key server that is no set of keys is a plain `JOSEError`. */
function isFetchFailure(cause: JoseErrors.JOSEError): boolean {
  return cause.code === joseErrors().JOSEError.code;
}
