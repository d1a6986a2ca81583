import { timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { AnyOperation, Call, Holding } from '../../contract/operation.ts';
import type { TokenIdentity } from '../../gateway/identity/token-identity.ts';
import { type ApiKey, allows, KEY_CALLER, type KeyScope } from '../../gateway/keys/api-key.ts';
import { isForeignPage } from '../../proxy/http/edge-exchange.ts';
import type { Caller } from '../../proxy/http/edge-request.ts';
import { RpcFailure } from '../../proxy/message/answers.ts';
import { RPC } from '../../wire/revisions.ts';
import { privateToken } from '../config/private-file.ts';
import type { OAuthAdmission } from '../users/oauth-admission.ts';

/** Looks up an API key; undefined if it is invalid. */
export interface KeyVerifier {
  verify(text: string): ApiKey | undefined;
  /** Aborted when the key with this id becomes invalid. */
  overOf(id: string): AbortSignal;
}

/** Each method answers synchronously, unless a token of the authorization server has to be verified. */
export interface Authenticator {
  /** The caller of a profile of `/mcp`. Throws an `RpcFailure` with status 401 or 403 if a credential is missing, wrong or too weak. */
  caller(authorization: string | undefined, profile: string): Caller | Promise<Caller>;
  /** Refuses a reader without a credential if one is required. */
  admit(authorization: string | undefined): void | Promise<void>;
  /** Refuses a call of the admin API without the credential that it needs. */
  authorize(operation: AnyOperation, call: Call): void | Promise<void>;
}

export interface AuthenticatorOptions {
  /** The token that all callers may share. */
  token(): string | undefined;
  readonly dataDir: string;
  readonly keys: KeyVerifier;
  /** Undefined: no authorization server is configured. */
  oauth?(): OAuthAdmission | undefined;
  /** Whether callers without a credential are refused, because other machines can reach the gateway. */
  required(): boolean;
}

/** The requirements on a credential. */
interface Wanted {
  readonly scope: KeyScope;
  /** The response shows what callers did or asked for. */
  readonly showsCallers: boolean;
  /** The response is limited to the profiles of the credential. */
  readonly isPerProfile: boolean;
  /** A credential is required, on loopback too. */
  readonly isNamed?: boolean;
}

/** The identity and limits of an admitted credential. */
interface Admitted {
  readonly caller: string;
  readonly holding: Holding;
  readonly profiles?: readonly string[];
}

/** The holder of a credential; undefined: it is invalid. */
type Holder = 'admin' | 'token' | 'local' | ApiKey | undefined;

/** A key, also in quotes or capitals, or the variable that a client did not expand. */
const MEANT_AS_KEY = /bk_|BINDERY_KEY/i;

/** Which of the three it is, a stranger does not learn. */
const NOT_VALID =
  'The credential that was sent is not valid: it is unknown, revoked or expired. `bindery keys list`, at the machine of the gateway, lists the keys';

/** The admin's token; created on first use. */
export function adminToken(dataDir: string): string {
  return privateToken(join(dataDir, 'admin.token'));
}

/** The credentials of a running gateway: a token if one is set, API keys, tokens of an authorization server, and the admin's. */
export class GatewayAuthenticator implements Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #admin: string;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#admin = adminToken(options.dataDir);
  }

  caller(authorization: string | undefined, profile: string): Caller | Promise<Caller> {
    const given = bearerOf(authorization);
    try {
      const person = this.#personOf(given, profile, 'call');
      if (person) {
        const { over } = this.#tokens() as OAuthAdmission;
        if (!(person instanceof Promise)) return callerOf(person, over);
        return person.then(
          (identity) => callerOf(identity, over),
          (thrown: unknown) => Promise.reject(this.#refused(thrown, profile)),
        );
      }
    } catch (thrown) {
      throw this.#refused(thrown, profile);
    }
    const holder = this.#holderOf(given);
    if (holder === undefined)
      throw new RpcFailure(RPC.invalidRequest, given === undefined ? 'A credential is needed' : NOT_VALID, {
        httpStatus: 401,
        challenge: this.#challenge(given, profile, 'call'),
      });
    if (typeof holder === 'string') return { name: holder };
    if (!allows(holder, 'call'))
      throw new RpcFailure(RPC.invalidRequest, 'The credential lacks the scope call', { httpStatus: 403 });
    const name = `${KEY_CALLER}${holder.id}`;
    return { name, ...this.#keyHolding(holder), ...(holder.profiles.length > 0 ? { profiles: holder.profiles } : {}) };
  }

  admit(authorization: string | undefined): void | Promise<void> {
    const admitted = this.#demand(authorization, { scope: 'read', showsCallers: false, isPerProfile: false });
    return admitted instanceof Promise ? admitted.then(() => {}) : undefined;
  }

  authorize(operation: AnyOperation, call: Call): void | Promise<void> {
    if (!needsCredentialFor(operation)) return;
    if (isForeignPage((name) => call.header(name))) throw new BinderyError('FORBIDDEN_HOST');
    const asked = wantedBy(operation);
    const wanted = isForwarded(call) ? { ...asked, isNamed: true } : asked;
    const explain = (thrown: unknown): never => {
      if (!(thrown instanceof BinderyError)) throw thrown;
      const isNotValid = thrown.detail === NOT_VALID;
      const told = isNotValid
        ? this.#challenge('sent', 'default', wanted.scope)
        : this.#tokens()?.challengeFor(thrown, 'default', wanted.scope);
      if (told !== undefined) call.setHeader?.('www-authenticate', told);
      throw thrown;
    };
    const note = (admitted: Admitted | undefined) => {
      call.caller = admitted?.caller;
      call.profiles = admitted?.profiles;
      if (operation.http !== false && operation.http.streams) call.holding = admitted?.holding;
    };
    try {
      const admitted = this.#demand(call.header('authorization'), wanted);
      if (admitted instanceof Promise) return admitted.then(note, explain);
      note(admitted);
    } catch (thrown) {
      explain(thrown);
    }
  }

  #tokens(): OAuthAdmission | undefined {
    return this.#options.oauth?.();
  }

  #holderOf(given: string | undefined): Holder {
    const { token, keys, required } = this.#options;
    if (given === undefined) return required() ? undefined : 'local';
    if (isSame(given, this.#admin)) return 'admin';
    const shared = token();
    if (shared !== undefined && isSame(given, shared)) return 'token';
    // A revoked or mistyped key is refused even on loopback, where none is needed: it would get more than the right one allows.
    if (MEANT_AS_KEY.test(given)) return keys.verify(given);
    return required() ? undefined : 'local';
  }

  /** The person behind a token of the authorization server; undefined if the credential is no such token. */
  #personOf(given: string | undefined, profile: string, scope: KeyScope) {
    const tokens = this.#tokens();
    if (!tokens || given === undefined) return undefined;
    const isPerson = tokens.knows(given) || (tokens.takes(given) && this.#holderOf(given) === undefined);
    return isPerson ? tokens.enter(given, profile, scope) : undefined;
  }

  #keyHolding({ id, expires_at }: ApiKey) {
    return {
      until: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
      over: this.#options.keys.overOf(id),
    };
  }

  /** Admits a credential or throws. Returns its limits; undefined: none. */
  #demand(authorization: string | undefined, wanted: Wanted): Admitted | undefined | Promise<Admitted> {
    const { scope } = wanted;
    const given = bearerOf(authorization);
    const person = this.#personOf(given, 'default', scope);
    if (person) {
      const { over } = this.#tokens() as OAuthAdmission;
      return person instanceof Promise
        ? person.then((identity) => ({ caller: identity.caller, holding: personHolding(identity, over) }))
        : { caller: person.caller, holding: personHolding(person, over) };
    }
    const holder = this.#holderOf(given);
    const isPublic = scope === 'call' || scope === 'read';
    if (holder === 'admin' || (isPublic && holder === 'local' && wanted.isNamed !== true)) return undefined;
    if (isPublic && holder === 'token') {
      if (!wanted.showsCallers) return undefined;
      throw new BinderyError('SCOPE_MISSING', {
        detail: `the token that all callers share does not show what they did; use a key with the scope ${scope}`,
      });
    }
    if (typeof holder === 'object') return this.#admitKey(holder, wanted);
    const isNotValid = given !== undefined && holder === undefined;
    throw new BinderyError(isPublic ? 'CREDENTIAL_MISSING' : 'ADMIN_REQUIRED', isNotValid ? { detail: NOT_VALID } : {});
  }

  /** The challenge for a credential that is missing, or that is not valid. */
  #challenge(given: string | undefined, profile: string, scope: KeyScope): string | undefined {
    const reason = given === undefined ? undefined : 'invalid_token';
    return this.#tokens()?.challenge(profile, scope, reason) ?? (reason && `Bearer error="${reason}"`);
  }

  #admitKey(key: ApiKey, { scope, isPerProfile }: Wanted): Admitted {
    if (!allows(key, scope)) throw new BinderyError('SCOPE_MISSING', { detail: `it lacks the scope ${scope}` });
    const { profiles } = key;
    const admitted = { caller: `${KEY_CALLER}${key.id}`, holding: this.#keyHolding(key) };
    if (profiles.length === 0) return admitted;
    if (!isPerProfile)
      throw new BinderyError('PROFILE_BOUND', {
        detail: `it is bound to ${profiles.join(', ')}`,
        members: { profiles },
      });
    return { ...admitted, profiles };
  }

  #refused(thrown: unknown, profile: string): unknown {
    if (!(thrown instanceof BinderyError)) return thrown;
    return new RpcFailure(RPC.invalidRequest, thrown.message, {
      httpStatus: thrown.row.http,
      challenge: this.#tokens()?.challengeFor(thrown, profile, 'call'),
      data: { code: thrown.code },
      cause: thrown,
    });
  }
}

/** Whether a proxy forwarded the call: then the client may be on another machine, although the connection is local. */
function isForwarded(call: Call): boolean {
  return ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => call.header(name) !== undefined);
}

/**
 * Every change under `/v1` needs the admin, on loopback too: an agent must not approve its own calls. Exceptions: servers may register
 * themselves with a registration key, and callers may sign in for themselves, as with the tool `sign_in`.
 */
function scopeOf(operation: AnyOperation): KeyScope {
  if (operation.hints.readOnly) return 'read';
  if (operation.id === 'gateway.sign_in') return 'call';
  return operation.id === 'gateway.register' ? 'register' : 'admin';
}

function wantedBy(operation: AnyOperation): Wanted {
  const { http } = operation;
  return {
    scope: scopeOf(operation),
    showsCallers: http !== false && http.showsCallers === true,
    isPerProfile: http !== false && http.perProfile === true,
    isNamed: http !== false && http.access === 'named',
  };
}

/** Whether an operation is part of the admin API; other routes are public or check their own credentials. */
function needsCredentialFor({ http }: AnyOperation): boolean {
  return http !== false && http.path.startsWith('/v1/') && http.access !== 'open';
}

function callerOf(identity: TokenIdentity, over: AbortSignal): Caller {
  return { name: identity.caller, ...personHolding(identity, over) };
}

function personHolding({ expiresAt }: TokenIdentity, over: AbortSignal) {
  return { until: expiresAt, over };
}

export function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization?.startsWith('Bearer ') && authorization.length > 7) return authorization.slice(7);
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
}

export function isSame(given: string, secret: string): boolean {
  if (given.length !== secret.length) return false;
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
