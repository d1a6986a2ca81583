import { BinderyError, ERRORS, toBinderyError } from '../../contract/errors.ts';
import { RPC } from '../../wire/revisions.ts';
import { isUpstreamError, type UpstreamError } from '../../wire/upstream.ts';
import { RpcFailure } from '../message/answers.ts';
import { theirData } from './server-error.ts';

/** The error of a failed server as clients see it. Addresses, paths and system messages appear only in the server's status. */
export function upstreamError(failure: UpstreamError, server: string): BinderyError {
  switch (failure.kind) {
    case 'timed_out':
      return new BinderyError('TIMED_OUT', { cause: failure });
    case 'refused':
      return new BinderyError('SERVER_UNAVAILABLE', { cause: failure });
    case 'auth':
      return authRequired(failure, server);
    case 'too_large':
      return new BinderyError('OUTPUT_TOO_LARGE', { cause: failure });
    case 'rate_limited':
      return new BinderyError('RATE_LIMITED', {
        members: { retry_after_ms: failure.retryAfterMs ?? 1_000 },
        cause: failure,
      });
    case 'busy':
      return new BinderyError('BUSY', {
        detail: failure.message,
        members: { retry_after_ms: failure.retryAfterMs ?? 1_000 },
        cause: failure,
      });
    default:
      return new BinderyError('UPSTREAM_ERROR', { cause: failure });
  }
}

/** The same for anything that a call failed with. */
export function callError(thrown: unknown, server: string): BinderyError {
  return isUpstreamError(thrown) ? upstreamError(thrown, server) : toBinderyError(thrown, 'UPSTREAM_ERROR');
}

/** Names the server and the missing scope, so that the person who signs in knows them. */
function authRequired(failure: UpstreamError, server: string): BinderyError {
  const { scope } = failure;
  const next = `Ask a person to sign in with \`bindery mcp auth login ${server}\`.`;
  if (scope === undefined) return new BinderyError('AUTH_REQUIRED', { next, cause: failure });
  return new BinderyError('AUTH_REQUIRED', {
    next,
    detail: `this call needs the scope "${scope}"`,
    members: { scope },
    cause: failure,
  });
}

/** The same for requests whose answers have no `isError`. Errors that no server caused stay unchanged. */
export function asRpcFailure(thrown: unknown, server: string): unknown {
  return isUpstreamError(thrown) ? upstreamRpcFailure(thrown, server) : thrown;
}

export function upstreamRpcFailure(failure: UpstreamError, server: string): RpcFailure {
  if (failure.rpc) {
    const { code, message, data } = failure.rpc;
    return new RpcFailure(code, message, { data: theirData(data), cause: failure });
  }
  const { code, row, members } = upstreamError(failure, server);
  const data = { code, server, ...members };
  return new RpcFailure(RPC.internalError, `${code}: ${row.title}`, { data, cause: failure });
}

/** The failure for a resource whose server is off: another server with the same URI must not answer instead. */
export function absentFailure(server: string): RpcFailure {
  const code = 'SERVER_UNAVAILABLE';
  return new RpcFailure(RPC.internalError, `${code}: ${ERRORS[code].title}`, { data: { code, server } });
}
