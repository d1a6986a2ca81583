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

/** Who may come in with a token of the authorization server, and what others are told. */
export class OAuthAdmission {
  readonly #verifier: TokenVerifier;

  constructor(verifier: TokenVerifier) {
    this.#verifier = verifier;
  }

  get settings(): OAuthSettings {
    return this.#verifier.settings;
  }

  /** Aborted when another authorization server takes the place of this one. */
  get over(): AbortSignal {
    return this.#verifier.over;
  }

  /** Whether a token was seen before: then nothing else has to be tried first. */
  knows(token: string): boolean {
    return this.#verifier.known(token) !== undefined;
  }

  /** Whether a bearer credential has the form of a token. */
  takes(token: string): boolean {
    return TokenVerifier.isToken(token);
  }

  /** The person of a token that is for this profile and has the scope. Throws what `refusedFor` knows. */
  enter(token: string, profile: string, scope: KeyScope): TokenIdentity | Promise<TokenIdentity> {
    const identity = this.#verifier.identify(token);
    return identity instanceof Promise
      ? identity.then((verified) => this.#check(verified, profile, scope))
      : this.#check(identity, profile, scope);
  }

  /** The challenge that goes with a refusal; undefined where a better token would not help. */
  challengeFor(error: BinderyError, profile: string, scope: KeyScope): string | undefined {
    return CHALLENGED.has(error.code) ? this.challenge(profile, scope, CHALLENGED.get(error.code)) : undefined;
  }

  /** What a caller without a token is told. */
  challenge(profile: string, scope: KeyScope, reason?: ChallengeReason): string {
    return challenge(this.settings, profile, scope, reason);
  }

  /** A token is for one resource: what opens one profile opens no other. */
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
