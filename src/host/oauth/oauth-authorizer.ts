import type { Dispatcher } from 'undici';
import { abortSignalOf, type CancelSignal } from '../../contract/cancellation.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import type { Semaphore } from '../connection/pool/semaphore.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import type { Authorizer, Challenge } from '../transports/http-sender.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { type BearerChallenge, NO_CHALLENGE, parseChallenge } from './challenge.ts';
import { hasExpiredSecret, type RegistrationPorts } from './client-registration.ts';
import {
  type AuthorizationPlan,
  canonicalUrl,
  coversScopes,
  discoverAuthorization,
  unionScopes,
} from './discover-authorization.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError, toAuthFailure } from './oauth-error.ts';
import { requestToken, type Tokens } from './request-token.ts';
import { type SignIn, type SignInOptions, type SignInPorts, signIn } from './sign-in.ts';
import type { CredentialStore, StoredCredentials } from './token-store.ts';
import { watchedDispatcher } from './watched-dispatcher.ts';

export interface OAuthPorts {
  readonly store: CredentialStore;
  readonly dispatcher: Dispatcher;
  readonly registration: Omit<RegistrationPorts, 'askForClient' | 'dispatcher' | 'now'>;
  readonly now: () => number;
  readonly log: Log;
  /** One sign-in at a time, so that only one browser page opens. */
  readonly turns: Semaphore;
  /** Undefined: there is no person to ask; a server that needs a sign-in reports that. */
  readonly person: SignInPorts | undefined;
}

const DEAD_CLIENT = new Set(['invalid_client', 'unauthorized_client']);

/** The tokens of one server: presents, renews and obtains them. One renewal or sign-in at a time, also across processes. */
export class OAuthAuthorizer implements Authorizer {
  readonly #id: string;
  readonly #url: URL;
  readonly #configured: OAuthSpec;
  readonly #ports: OAuthPorts;
  readonly #saving: FailureReport;
  #current: StoredCredentials | undefined;
  /** Renewed credentials that could not be stored, with the refresh token that they replaced, which is still in the store. */
  #unsaved: { readonly spent: string; readonly renewed: StoredCredentials } | undefined;
  #loaded = false;
  /** Why the stored credentials cannot be used. */
  #damage: string | undefined;
  #plan: AuthorizationPlan | undefined;
  #settling: Promise<boolean> | undefined;
  #settledBy: 'renewal' | 'person' | undefined;
  /** The scope of the last request, so that the same is not requested in a loop. */
  #requestedScope: string | undefined;
  /** The last 401 challenge: a sign-in that a person starts requests the same. */
  #lastAsked: BearerChallenge = NO_CHALLENGE;

  constructor(id: string, url: URL, configured: OAuthSpec, ports: OAuthPorts) {
    this.#id = id;
    this.#url = url;
    this.#configured = configured;
    this.#ports = ports;
    this.#saving = new FailureReport(ports.log, {
      failing: `renewed tokens of ${id} cannot be stored: they last as long as this process`,
      again: `renewed tokens of ${id} are stored again`,
    });
  }

  authorization(signal: CancelSignal | undefined): Promise<string | undefined> | string | undefined {
    return this.#loaded && !this.#isExpiring() ? this.#presented() : this.#prepare(signal);
  }

  async #prepare(signal: CancelSignal | undefined): Promise<string | undefined> {
    // An unreadable token file must not block servers that need no token; the answer to a challenge reports it.
    if (!this.#loaded) await this.#load().catch(() => {});
    if (this.#isExpiring() && this.#current?.refresh_token !== undefined) {
      // If renewal fails, use the old token: the server may still accept it, or challenge.
      await this.#once(() => this.#renewAhead(), signal).catch(() => {});
    }
    return this.#presented();
  }

  #presented(): string | undefined {
    const token = this.#current?.access_token;
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  async challenged(challenge: Challenge, signal: CancelSignal | undefined): Promise<boolean> {
    if (challenge.attempt > 2) return false;
    const token = this.#current?.access_token;
    // Another request has already got a new token.
    if (token !== undefined && challenge.refused !== `Bearer ${token}`) return true;
    try {
      const bearer = parseChallenge(challenge.wwwAuthenticate);
      if (challenge.status === 401) this.#lastAsked = bearer;
      // The token works for other calls: only this call fails, and no other has to wait.
      if (challenge.status === 403 && this.#ports.person === undefined) return await this.#refuseForScope(bearer);
      return await this.#once(() => this.#answerChallenge(challenge, bearer, signal), signal);
    } catch (thrown) {
      throw toAuthFailure(thrown, challenge.status);
    }
  }

  /** Records the scope that a call lacks, so that the next sign-in requests it too; false if a sign-in would not help. */
  async #refuseForScope({ error, scope }: BearerChallenge): Promise<false> {
    const granted = unionScopes(this.#requestedScope, this.#current?.scope);
    if (error !== 'insufficient_scope' || coversScopes(granted, scope)) return false;
    const needed = unionScopes(this.#current?.needed_scope, scope);
    if (needed !== this.#current?.needed_scope) await this.#note(needed);
    throw scopeRequired(this.#id, unionScopes(scope), this.#ports.store);
  }

  async #note(needed: string | undefined): Promise<void> {
    const noted = optional('needed_scope', needed);
    this.#current = { ...this.#current, ...noted };
    try {
      await this.#ports.store.update(this.#id, (stored) =>
        this.#ofThisServer(stored) ? { ...stored, ...noted } : stored,
      );
    } catch (thrown) {
      // The call fails for its scope, even if the store fails too.
      this.#ports.log.warn('the scope that a call needs could not be stored', { server: this.#id, error: thrown });
    }
  }

  /** Signs in now, ignoring stored credentials, because a person asked for it. */
  async signIn(person: SignInPorts, signal: AbortSignal | undefined): Promise<void> {
    if (!this.#loaded) await this.#load();
    person.onStep?.({ name: 'discover', state: 'running' });
    const dispatcher = watchedDispatcher(this.#ports.dispatcher, person.onRequest);
    const plan = await this.#discover(this.#lastAsked, signal, dispatcher);
    if (plan === undefined) throw new OAuthError('no_metadata', 'the server does not say who authorizes for it');
    person.onStep?.({ name: 'discover', state: 'done', detail: plan.issuer });
    const ours = this.#current?.issuer === plan.issuer ? this.#current : undefined;
    const asked = this.#lastAsked.scope ?? plan.resourceScopes;
    await this.#signIn(plan, unionScopes(ours?.scope, asked, ours?.needed_scope), person, signal);
  }

  /** Renews the token or asks the person to sign in. The signal cancels the sign-in only. */
  async #answerChallenge(
    challenge: Challenge,
    bearer: BearerChallenge,
    signal: CancelSignal | undefined,
  ): Promise<boolean> {
    const { status, attempt } = challenge;
    if (status === 403 && bearer.error !== 'insufficient_scope') return false;
    if (status === 403 && coversScopes(this.#requestedScope, bearer.scope)) return false;
    // Another caller may have signed in or renewed since, in this or another process.
    await this.#load();
    const token = this.#current?.access_token;
    if (status === 401 && token !== undefined && challenge.refused !== `Bearer ${token}`) return true;
    // The server refuses a token that a person just obtained: another sign-in would get the same.
    if (status === 401 && attempt > 0 && this.#settledBy === 'person') return false;
    const { person } = this.#ports;
    const canRenew = status === 401 && attempt === 0 && this.#current?.refresh_token !== undefined;
    // The server names the authorization server: do not contact it unless we can renew or sign in.
    if (!canRenew && (person === undefined || signal?.aborted)) {
      // A server that asks for no token and never had a sign-in wants something else, such as a key in a header.
      if (this.#current === undefined && !bearer.asksForToken) return false;
      throw this.#signInRequired(status);
    }
    const plan = await this.#discover(bearer, undefined);
    if (plan === undefined) return false;
    const ours = this.#current?.issuer === plan.issuer ? this.#current : undefined;
    if (canRenew && (await this.#renew(plan, challenge.refused))) {
      this.#settledBy = 'renewal';
      return true;
    }
    if (person === undefined || signal?.aborted) throw this.#signInRequired(status);
    const before = status === 403 ? unionScopes(this.#requestedScope, ours?.scope) : undefined;
    const scope = unionScopes(before, bearer.scope ?? plan.resourceScopes, ours?.needed_scope);
    await this.#signIn(plan, scope, person, signal && abortSignalOf(signal));
    this.#settledBy = 'person';
    return true;
  }

  async #signIn(
    plan: AuthorizationPlan,
    scope: string | undefined,
    person: SignInPorts,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { store, now } = this.#ports;
    const dispatcher = watchedDispatcher(this.#ports.dispatcher, person.onRequest);
    this.#requestedScope = scope;
    const signed = await this.#withClient({
      serverId: this.#id,
      serverUrl: this.#url,
      plan,
      configured: this.#configured,
      stored: this.#current,
      scope,
      dispatcher,
      registration: { ...this.#ports.registration, dispatcher, now },
      ports: person,
      signal,
    });
    const entry = this.#entryOf(plan, signed);
    await store.update(this.#id, (stored) => ({ ...unknownMembers(stored), ...entry }));
    this.#current = entry;
  }

  /** Deletes a client that the authorization server no longer knows, so that the next sign-in registers again. */
  async #withClient(options: SignInOptions): Promise<SignIn> {
    try {
      return await this.#ports.turns.use(() => signIn(options));
    } catch (thrown) {
      if (thrown instanceof OAuthError && DEAD_CLIENT.has(thrown.code)) {
        await this.#ports.store.update(this.#id, (stored) => unknownMembers(stored));
        this.#current = undefined;
      }
      throw thrown;
    }
  }

  /**
   * Renews with the refresh token; false if only a person can help. Holds the lock over read, renew and save. Cannot be cancelled: the
   * refresh token may already be used up, and the new tokens would be lost.
   */
  async #renew(plan: AuthorizationPlan, refused: string | undefined): Promise<boolean> {
    const { store, dispatcher } = this.#ports;
    return store.locked(async () => {
      const stored = await this.#stored();
      const renewedElsewhere = stored?.access_token !== undefined && refused !== `Bearer ${stored.access_token}`;
      if (renewedElsewhere && !isExpiring(stored, this.#ports.now())) {
        this.#current = stored;
        return true;
      }
      if (stored?.refresh_token === undefined || stored.issuer !== plan.issuer) return false;
      if (hasExpiredSecret(stored, this.#ports.now())) return false;
      const client = {
        clientId: stored.client_id ?? this.#configured.clientId ?? '',
        ...optional('clientSecret', stored.client_secret ?? this.#configured.clientSecret),
        ...optional('authMethod', stored.auth_method),
      };
      const grant = { grant_type: 'refresh_token', refresh_token: stored.refresh_token, resource: stored.resource };
      try {
        const tokens = await requestToken(dispatcher, plan.tokenEndpoint, client, plan.authMethods, grant, undefined);
        const renewed = { ...withoutTokens(stored), ...this.#tokenMembers(tokens, stored) };
        this.#current = renewed;
        await this.#save(stored.refresh_token, renewed);
        return true;
      } catch (thrown) {
        const dead = thrown instanceof OAuthError && (thrown.code === 'invalid_grant' || DEAD_CLIENT.has(thrown.code));
        if (!dead) throw thrown;
        const left = thrown.code === 'invalid_grant' ? withoutTokens(stored) : undefined;
        await store.write(this.#id, () => left);
        this.#current = left;
        return false;
      }
    });
  }

  /** Stores renewed tokens. If the store fails, this process still uses them. */
  async #save(spent: string, renewed: StoredCredentials): Promise<void> {
    try {
      await this.#ports.store.write(this.#id, () => renewed);
      this.#unsaved = undefined;
      this.#saving.succeeded();
    } catch (thrown) {
      this.#unsaved = { spent: this.#unsaved?.spent ?? spent, renewed };
      this.#saving.failed(thrown);
    }
  }

  async #renewAhead(): Promise<boolean> {
    const plan = this.#plan ?? (await this.#discover(NO_CHALLENGE, undefined));
    if (plan === undefined || plan.issuer !== this.#current?.issuer) return false;
    return this.#renew(plan, `Bearer ${this.#current.access_token}`);
  }

  async #discover(
    bearer: BearerChallenge,
    signal: AbortSignal | undefined,
    dispatcher = this.#ports.dispatcher,
  ): Promise<AuthorizationPlan | undefined> {
    this.#plan = await discoverAuthorization(dispatcher, this.#url, bearer, this.#configured, signal);
    return this.#plan;
  }

  /** Loads the stored credentials. Damaged ones count as absent: a sign-in replaces them. */
  async #load(): Promise<void> {
    try {
      this.#current = await this.#stored();
      this.#damage = undefined;
    } catch (thrown) {
      if (!(thrown instanceof OAuthError) || thrown.code !== 'store_damaged') throw thrown;
      this.#current = undefined;
      this.#damage = thrown.message;
    }
    this.#loaded = true;
  }

  async #stored(): Promise<StoredCredentials | undefined> {
    const stored = this.#ofThisServer(await this.#ports.store.get(this.#id));
    if (stored?.refresh_token !== this.#unsaved?.spent) this.#unsaved = undefined;
    return this.#unsaved?.renewed ?? stored;
  }

  /** Credentials for another URL must not be presented here. */
  #ofThisServer(stored: StoredCredentials | undefined): StoredCredentials | undefined {
    return stored?.url === canonicalUrl(this.#url) ? stored : undefined;
  }

  #entryOf(plan: AuthorizationPlan, signed: SignIn): StoredCredentials {
    const { client } = signed;
    return {
      ...this.#tokenMembers(signed.tokens, optional('scope', signed.scope)),
      client_id: client.clientId,
      ...optional('client_secret', client.clientSecret),
      ...optional('client_secret_expires_at', client.secretExpiresAt),
      ...optional('auth_method', client.authMethod),
      redirect_uri: signed.redirectUri,
      url: canonicalUrl(this.#url),
      issuer: plan.issuer,
      ...optional('resource', signed.resource),
    };
  }

  #tokenMembers(tokens: Tokens, before: StoredCredentials): StoredCredentials {
    const { expiresInMs } = tokens;
    const now = this.#ports.now();
    return {
      access_token: tokens.accessToken,
      // If a renewal returns no new refresh token, the old one stays valid.
      ...optional('refresh_token', tokens.refreshToken ?? before.refresh_token),
      ...(expiresInMs === undefined
        ? {}
        : { expires_at: now + expiresInMs, renew_at: now + expiresInMs - renewBeforeMs(expiresInMs) }),
      token_type: tokens.tokenType,
      ...optional('scope', tokens.scope ?? before.scope),
    };
  }

  #signInRequired(status: number): UpstreamError {
    const why = this.#damage === undefined ? '' : ` (${this.#damage})`;
    const message = `sign-in required: ${howToLogin(this.#id, this.#ports.store)}${why}`;
    return new UpstreamError('auth', message, { status, signIn: true });
  }

  #isExpiring(): boolean {
    return isExpiring(this.#current, this.#ports.now());
  }

  /** Runs the work once for all waiting callers; a caller that leaves does not cancel it for the others. */
  #once(work: () => Promise<boolean>, signal: CancelSignal | undefined): Promise<boolean> {
    this.#settling ??= work().finally(() => {
      this.#settling = undefined;
    });
    return signal === undefined ? this.#settling : unlessAborted(this.#settling, signal);
  }
}

function isExpiring(stored: StoredCredentials | undefined, now: number): boolean {
  if (stored?.expires_at === undefined) return false;
  return (stored.renew_at ?? stored.expires_at - LIMITS.renewBeforeMs) < now;
}

/** A short-lived token is used for most of its lifetime, instead of being renewed with each request. */
function renewBeforeMs(livesMs: number): number {
  return Math.min(LIMITS.renewBeforeMs, Math.floor(livesMs / LIMITS.renewBeforePart));
}

function withoutTokens(stored: StoredCredentials): StoredCredentials {
  const { access_token: _a, refresh_token: _r, expires_at: _e, renew_at: _n, token_type: _t, ...rest } = stored;
  return rest;
}

const OWN_MEMBERS = new Set([
  'access_token',
  'refresh_token',
  'expires_at',
  'renew_at',
  'token_type',
  'scope',
  'needed_scope',
  'client_id',
  'client_secret',
  'client_secret_expires_at',
  'auth_method',
  'redirect_uri',
  'url',
  'issuer',
  'resource',
]);

function unknownMembers(stored: StoredCredentials | undefined): StoredCredentials {
  return Object.fromEntries(Object.entries(stored ?? {}).filter(([name]) => !OWN_MEMBERS.has(name)));
}

function howToLogin(id: string, { login }: CredentialStore): string {
  return login === undefined ? `run \`bindery mcp auth login ${id}\`` : `${login} for ${id}`;
}

/** The scopes come from the server: `unionScopes` passes only characters that RFC 6749 allows. */
function scopeRequired(id: string, scope: string | undefined, store: CredentialStore): UpstreamError {
  const shown = (scope ?? '').slice(0, LIMITS.shownScopeChars);
  const message = `this call needs the scope "${shown}": ${howToLogin(id, store)}`;
  return new UpstreamError('auth', message, { status: 403, signIn: true, scope: shown });
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
