import { BinderyError } from '../../contract/errors.ts';
import { RPC } from '../../wire/revisions.ts';
import type { UpstreamError } from '../../wire/upstream.ts';
import { RpcFailure } from '../message/rpc-failure.ts';

/** What a client is told of a server that failed: addresses, paths and words of the system are not for clients, and stand in the server's status. */
export function upstreamError(failure: UpstreamError): BinderyError {
  switch (failure.kind) {
    case 'timed_out':
      return new BinderyError('TIMED_OUT', { cause: failure });
    case 'refused':
      return new BinderyError('SERVER_UNAVAILABLE', { cause: failure });
    case 'auth':
      return authRequired(failure);
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

/** A call that lacks a scope says which one: whoever signs in, or runs the gateway, has to know. */
function authRequired(failure: UpstreamError): BinderyError {
  const { scope } = failure;
  if (scope === undefined) return new BinderyError('AUTH_REQUIRED', { cause: failure });
  return new BinderyError('AUTH_REQUIRED', {
    detail: `this call needs the scope "${scope}"`,
    members: { scope },
    cause: failure,
  });
}

/** The same for requests whose answers have no `isError`. */
export function upstreamRpcFailure(failure: UpstreamError, server: string): RpcFailure {
  if (failure.rpc) {
    const { code, message, data } = failure.rpc;
    return new RpcFailure(code, message, { data, cause: failure });
  }
  const { code, row, members } = upstreamError(failure);
  const data = { code, server, ...members };
  return new RpcFailure(RPC.internalError, `${code}: ${row.title}`, { data, cause: failure });
}
