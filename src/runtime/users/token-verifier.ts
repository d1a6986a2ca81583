import { setMaxListeners } from 'node:events';
import type { errors as JoseErrors, JWTVerifyGetKey, JWTVerifyResult } from 'jose';
import { BinderyError } from '../../contract/errors.ts';
import { IDENTITY_LIMITS as LIMITS } from '../../gateway/identity/limits.ts';
import type { OAuthSettings } from '../../gateway/identity/protected-resource.ts';
import { readIdentity, type TokenIdentity, whyNoBearer } from '../../gateway/identity/token-identity.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { signingKeys } from './signing-keys.ts';

// The whole of jose is three times as large.
const verify = lateLibrary<typeof import('jose/jwt/verify')>('jose/jwt/verify');
const joseErrors = lateLibrary<typeof import('jose/errors')>('jose/errors');

/** Asymmetric signatures only: with a shared secret, a verifier could also sign. */
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

/** Verifies tokens of one authorization server. A valid token is cached for a while. */
export class TokenVerifier {
  readonly settings: OAuthSettings;
  readonly #over = new AbortController();
  readonly #keys: JWTVerifyGetKey;
  readonly #now: () => number;
  /** Least recently used first. */
  readonly #verified = new Map<string, Verified>();
  readonly #people = new Map<string, string>();

  constructor(settings: OAuthSettings, now: () => number, keys: JWTVerifyGetKey = signingKeys(settings, now)) {
    this.settings = settings;
    // One listener per open stream of its tokens.
    setMaxListeners(0, this.#over.signal);
    this.#keys = keys;
    this.#now = now;
  }

  /** Aborted when its tokens become invalid. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Refuses all tokens from now on and ends the streams that they opened. */
  close(): void {
    this.#over.abort();
    this.#verified.clear();
  }

  /** Whether a bearer credential has the form of a token. */
  static isToken(text: string): boolean {
    return text.length <= LIMITS.tokenCharsMax && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
  }

  /** The identity in a token; synchronous if cached. Throws `TOKEN_REFUSED` or `ISSUER_UNREACHABLE`. */
  identify(token: string): TokenIdentity | Promise<TokenIdentity> {
    return this.known(token) ?? this.#verify(token);
  }

  /** The cached identity of a token. */
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

/** Moves or adds an entry to the end; evicts the first one above the limit. */
function keep<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > LIMITS.verifiedTokensMax && oldest !== undefined) entries.delete(oldest);
}

/** The error explains why a token was refused; a failure to fetch the keys is not the token's fault. */
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

/** jose reports an invalid key set from the server as a plain `JOSEError`. */
function isFetchFailure(cause: JoseErrors.JOSEError): boolean {
  return cause.code === joseErrors().JOSEError.code;
}
