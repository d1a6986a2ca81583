import { randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { BinderyError } from '../contract/errors.ts';
import type { AnyOperation, Call } from '../contract/operation.ts';
import { type ApiKey, allows, type KeyScope } from '../gateway/keys/api-key.ts';
import type { Caller } from '../proxy/http-edge.ts';
import { RpcFailure } from '../proxy/rpc-failure.ts';
import { RPC } from '../wire/revisions.ts';
import { privateFile } from './gateway/private-file.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** Whether only programs of this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Looks up an API key; undefined for one that opens nothing. */
export interface KeyVerifier {
  verify(text: string): ApiKey | undefined;
}

export interface Authenticator {
  /** Who calls `/mcp`. Throws an `RpcFailure` with status 401 or 403 where a credential is missing, wrong or too weak. */
  caller(authorization: string | undefined): Caller;
  /** Refuses a reader where a credential is asked for. */
  admit(authorization: string | undefined): void;
  /** Refuses a call of the admin API without the credential that it needs. */
  authorize(operation: AnyOperation, call: Call): void;
}

export interface AuthenticatorOptions {
  /** The token that callers may send. */
  readonly token: string | undefined;
  readonly dataDir: string;
  readonly keys: KeyVerifier;
  /** Whether callers without any credential are refused: others than programs of this machine can come. */
  readonly required: boolean;
}

/** Whom a credential names, and what it opens; undefined: it opens nothing. */
type Holder = 'admin' | 'token' | 'local' | ApiKey | undefined;

/** The admin's token; made where there is none yet. */
export function adminToken(dataDir: string): string {
  return privateFile(join(dataDir, 'admin.token'), () => randomBytes(32).toString('base64url'));
}

/** The credentials of a running gateway: a token if one is set, API keys, and the admin's. */
export function authenticator({ token, dataDir, keys, required }: AuthenticatorOptions): Authenticator {
  const admin = adminToken(dataDir);
  const holderOf = (authorization: string | undefined): Holder => {
    const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
    if (given === undefined) return required ? undefined : 'local';
    if (isSame(given, admin)) return 'admin';
    if (token !== undefined && isSame(given, token)) return 'token';
    // A key that was revoked is refused on loopback too, where none would be let in.
    if (given.startsWith('bk_')) return keys.verify(given);
    return required ? undefined : 'local';
  };
  const demand = (authorization: string | undefined, scope: KeyScope): void => {
    const holder = holderOf(authorization);
    const isPublic = scope === 'call' || scope === 'read';
    if (holder === 'admin' || (isPublic && (holder === 'token' || holder === 'local'))) return;
    if (typeof holder === 'object') {
      if (!allows(holder, scope)) throw new BinderyError('SCOPE_MISSING', { detail: `it lacks the scope ${scope}` });
      return;
    }
    throw new BinderyError(isPublic ? 'CREDENTIAL_MISSING' : 'ADMIN_REQUIRED');
  };
  return {
    caller(authorization) {
      const holder = holderOf(authorization);
      if (holder === undefined) throw new RpcFailure(RPC.invalidRequest, 'A credential is needed', { httpStatus: 401 });
      if (typeof holder === 'string') return { name: holder === 'admin' && !required ? 'local' : holder };
      if (!allows(holder, 'call'))
        throw new RpcFailure(RPC.invalidRequest, 'The credential lacks the scope call', { httpStatus: 403 });
      return { name: `key:${holder.id}`, ...(holder.profiles.length > 0 ? { profiles: holder.profiles } : {}) };
    },
    admit: (authorization) => demand(authorization, 'read'),
    authorize(operation, call) {
      if (isGuarded(operation)) demand(call.header('authorization'), scopeOf(operation));
    },
  };
}

/**
 * Whatever changes something under `/v1` is a person's to do, on loopback too: an agent must not approve its own calls.
 * Servers may register themselves with a key for that.
 */
function scopeOf(operation: AnyOperation): KeyScope {
  if (operation.hints.readOnly) return 'read';
  return operation.id === 'gateway.register' ? 'register' : 'admin';
}

/** The admin API; other routes are public or keep credentials of their own. */
function isGuarded({ http }: AnyOperation): boolean {
  return http !== false && http.path.startsWith('/v1/') && http.access !== 'open';
}

function isSame(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
