import { randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { BinderyError } from '../contract/errors.ts';
import type { AnyOperation, Call } from '../contract/operation.ts';
import type { Caller } from '../proxy/http-edge.ts';
import { RpcFailure } from '../proxy/rpc-failure.ts';
import { RPC } from '../wire/revisions.ts';
import { privateFile } from './gateway/private-file.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/;

/** Whether only programs of this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

export interface Authenticator {
  /** Who calls `/mcp`. Throws an `RpcFailure` with status 401 where a credential is missing or wrong. */
  caller(authorization: string | undefined): Caller;
  /** Refuses a reader where a token is asked for. */
  admit(authorization: string | undefined): void;
  /** Refuses a call of the admin API without the credential that it needs. */
  authorize(operation: AnyOperation, call: Call): void;
}

/** The credentials of a running gateway: the token that callers must send, if one is set, and the admin's. */
export function authenticator(token: string | undefined, dataDir: string): Authenticator {
  const admin = privateFile(join(dataDir, 'admin.token'), () => randomBytes(32).toString('base64url'));
  const isAdmin = (authorization: string | undefined) => isBearer(authorization, admin);
  const isCaller = (authorization: string | undefined) =>
    token === undefined || isBearer(authorization, token) || isAdmin(authorization);
  return {
    caller(authorization) {
      if (!isCaller(authorization))
        throw new RpcFailure(RPC.invalidRequest, 'A credential is needed', { httpStatus: 401 });
      return { name: token === undefined ? 'local' : 'token' };
    },
    admit(authorization) {
      if (!isCaller(authorization)) throw new BinderyError('CREDENTIAL_MISSING');
    },
    authorize(operation, call) {
      const authorization = call.header('authorization');
      if (needsAdmin(operation)) {
        if (!isAdmin(authorization)) throw new BinderyError('ADMIN_REQUIRED');
      } else if (isGuarded(operation) && !isCaller(authorization)) {
        throw new BinderyError('CREDENTIAL_MISSING');
      }
    },
  };
}

/** Whatever changes something under `/v1` is a person's to do, on loopback too: an agent must not approve its own calls. */
function needsAdmin(operation: AnyOperation): boolean {
  return isGuarded(operation) && !operation.hints.readOnly;
}

/** The admin API; other routes are public or keep credentials of their own. */
function isGuarded({ http }: AnyOperation): boolean {
  return http !== false && http.path.startsWith('/v1/') && http.access !== 'open';
}

function isBearer(authorization: string | undefined, secret: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
  const expected = Buffer.from(secret);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
