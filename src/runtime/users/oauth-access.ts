import { isDeepStrictEqual } from 'node:util';
import { toBinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import { type OAuthSettings, oauthSettings } from '../../gateway/identity/protected-resource.ts';
import { PERSON_PREFIX } from '../../gateway/identity/token-identity.ts';
import type { SessionTable } from '../../proxy/sessions/session-table.ts';
import { OAuthAdmission } from './oauth-admission.ts';
import { OAuthCallbacks } from './oauth-callbacks.ts';
import { TokenVerifier } from './token-verifier.ts';

export interface OAuthAccessOptions {
  now(): number;
  readonly log: Log;
  sessions(): Pick<SessionTable, 'all' | 'end'>;
}

/** The authorization server whose tokens this gateway accepts. A new one replaces the previous one at once. */
export class OAuthAccess {
  /** Receives the redirects of sign-ins. */
  readonly callbacks = new OAuthCallbacks();
  /** The problem with the settings; the last good ones are in use. */
  error: string | undefined;
  /** Addresses under which callers reach the gateway. */
  publicUrls: readonly string[] = [];
  verifier: TokenVerifier | undefined;
  admission: OAuthAdmission | undefined;
  readonly #options: OAuthAccessOptions;
  #settings: OAuthSettings | undefined;

  constructor(options: OAuthAccessOptions) {
    this.#options = options;
  }

  /** Applies settings of the config. Throws if they are invalid. */
  configure(given: unknown): void {
    const settings = oauthSettings(given);
    this.error = undefined;
    if (isDeepStrictEqual(settings, this.#settings)) return;
    const before = this.#settings;
    this.verifier?.close();
    this.#settings = settings;
    this.verifier = settings && new TokenVerifier(settings, this.#options.now);
    this.admission = this.verifier && new OAuthAdmission(this.verifier);
    this.publicUrls = settings ? [settings.audience] : [];
    if (before && before.issuer !== settings?.issuer) this.#endSessions();
  }

  /** The same while the gateway runs: invalid settings keep the last good ones in use. */
  reconfigure(given: unknown): void {
    try {
      this.configure(given);
    } catch (thrown) {
      const { message } = toBinderyError(thrown);
      if (message !== this.error)
        this.#options.log.error('the new gateway.auth.oauth is invalid; the old one stays in use', { error: thrown });
      this.error = message;
    }
  }

  /** Ends the sessions of the previous issuer's users. */
  #endSessions(): void {
    const sessions = this.#options.sessions();
    for (const session of [...sessions.all()])
      if (session.client.caller.startsWith(PERSON_PREFIX)) sessions.end(session);
  }
}
