import { BinderyError } from '../../contract/errors.ts';
import {
  type ChallengeReason,
  challenge,
  coversScope,
  type OAuthSettings,
  resourceOf,
} from '../../gateway/identity/protected-resource.ts';
import type { TokenIdentity } from '../../gateway/identity/token-identity.ts';
import type { KeyScope } from '../../gateway/keys/api-key.ts';
import { TokenVerifier } from './token-verifier.ts';

/** Admits callers with tokens of the authorization server, and creates challenges for others. */
export class OAuthAdmission {
  readonly #verifier: TokenVerifier;

  constructor(verifier: TokenVerifier) {
    this.#verifier = verifier;
  }

  get settings(): OAuthSettings {
    return this.#verifier.settings;
  }

  /** Aborted when another authorization server replaces this one. */
  get over(): AbortSignal {
    return this.#verifier.over;
  }

  /** Whether the token was verified before: then no other kind of credential has to be tried first. */
  knows(token: string): boolean {
    return this.#verifier.known(token) !== undefined;
  }

  /** Whether a bearer credential has the form of a token. */
  takes(token: string): boolean {
    return TokenVerifier.isToken(token);
  }

  /** The person of a token that is valid for this profile and scope. Throws `TOKEN_REFUSED`, `SCOPE_MISSING` or `ISSUER_UNREACHABLE`. */
  enter(token: string, profile: string, scope: KeyScope): TokenIdentity | Promise<TokenIdentity> {
    const identity = this.#verifier.identify(token);
    return identity instanceof Promise
      ? identity.then((verified) => this.#check(verified, profile, scope))
      : this.#check(identity, profile, scope);
  }

  /** The challenge that goes with a refusal; undefined if a better token would not help. */
  challengeFor(error: BinderyError, profile: string, scope: KeyScope): string | undefined {
    return CHALLENGED.has(error.code) ? this.challenge(profile, scope, CHALLENGED.get(error.code)) : undefined;
  }

  /** The challenge for a caller without a token. */
  challenge(profile: string, scope: KeyScope, reason?: ChallengeReason): string {
    return challenge(this.settings, profile, scope, reason);
  }

  /** A token is valid for one resource: a token for one profile does not open another. */
  #check(identity: TokenIdentity, profile: string, scope: KeyScope): TokenIdentity {
    if (this.over.aborted)
      throw new BinderyError('TOKEN_REFUSED', { detail: 'its authorization server is another one now' });
    if (!identity.audiences.includes(resourceOf(this.settings, profile)))
      throw new BinderyError('TOKEN_REFUSED', { detail: 'it is for another resource' });
    if (!coversScope(this.settings, identity.scopes, scope))
      throw new BinderyError('SCOPE_MISSING', { detail: `it lacks the scope ${scope}` });
    return identity;
  }
}

const CHALLENGED: ReadonlyMap<string, ChallengeReason> = new Map([
  ['CREDENTIAL_MISSING', undefined],
  ['ADMIN_REQUIRED', undefined],
  ['TOKEN_REFUSED', 'invalid_token'],
  ['SCOPE_MISSING', 'insufficient_scope'],
]);
