import { BinderyError } from '../../contract/errors.ts';
import { UpstreamError } from '../../wire/upstream.ts';

/** Why authorization failed: the RFC 6749 code if a server gave one, else our own. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OAuthError';
    this.code = code;
  }
}

/** Failures that a person can solve by trying again; others are caused by the server or the configuration. */
const SOLVED_BY_PERSON = new Set([
  'access_denied',
  'cancelled',
  'failed',
  'login_required',
  'needs_client_registration',
  'port_taken',
  'store_damaged',
  'timed_out',
]);

/** Converts a failure to the error that a connection reports. */
export function toAuthFailure(thrown: unknown, status: number): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  if (!(thrown instanceof OAuthError)) {
    return new UpstreamError('auth', 'authorization failed', { status, cause: thrown });
  }
  // Keep the tokens: the authorization server may be back in a minute.
  if (thrown.code === 'unreachable') return new UpstreamError('refused', thrown.message, { cause: thrown });
  return new UpstreamError('auth', thrown.message, {
    status,
    signIn: SOLVED_BY_PERSON.has(thrown.code),
    cause: thrown,
  });
}

const AGAIN_FROM_AFAR = 'Try again; over SSH set BINDERY_OAUTH_BROWSER=manual and paste the address back.';
const AGREE = 'Sign in again, and agree to what is asked for.';
const REGISTER = 'Register a client with the authorization server by hand, and set oauth.client_id of the server.';
const NEXT: Readonly<Record<string, string>> = {
  timed_out: AGAIN_FROM_AFAR,
  failed: AGAIN_FROM_AFAR,
  access_denied: AGREE,
  cancelled: AGREE,
  login_required: AGREE,
  port_taken: 'Set oauth.callback_port of the server to a port that is free.',
  needs_client_registration: REGISTER,
  registration_refused: REGISTER,
  no_metadata:
    'The server may want a key instead: give it one in `headers` of its entry, or with `bindery mcp auth set`.',
  unreachable: 'Check that this machine reaches the authorization server, then try again.',
};

/** The next step after a failed sign-in, if there is a specific one. */
export function nextAfter(failure: unknown): string | undefined {
  return failure instanceof OAuthError ? NEXT[failure.code] : undefined;
}

/** The error for a person who started a sign-in, with a next step that fits the failure. */
export function signInFailed(failure: OAuthError | UpstreamError, detail: string): BinderyError {
  const next = nextAfter(failure);
  return new BinderyError('SIGN_IN_FAILED', { detail, cause: failure, ...(next === undefined ? {} : { next }) });
}
