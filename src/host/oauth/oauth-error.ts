import { UpstreamError } from '../connection/upstream.ts';

/** Why authorization failed: the codes of RFC 6749 where a server gave one, else ours. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OAuthError';
    this.code = code;
  }
}

/** What a person who tries again can settle; other failures are the server's or the configuration's. */
const SETTLED_BY_A_PERSON = new Set([
  'access_denied',
  'cancelled',
  'failed',
  'login_required',
  'needs_client_registration',
  'port_taken',
  'store_damaged',
  'timed_out',
]);

/** The failure as a connection reports it. */
export function toAuthFailure(thrown: unknown, status: number): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  if (!(thrown instanceof OAuthError)) {
    return new UpstreamError('auth', 'authorization failed', { status, cause: thrown });
  }
  // The tokens are kept: the authorization server may be back in a minute.
  if (thrown.code === 'unreachable') return new UpstreamError('refused', thrown.message, { cause: thrown });
  return new UpstreamError('auth', thrown.message, {
    status,
    signIn: SETTLED_BY_A_PERSON.has(thrown.code),
    cause: thrown,
  });
}
