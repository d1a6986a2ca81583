import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';

/** What the redirect must match to answer an authorization request. */
export interface CallbackExpectation {
  readonly state: string;
  readonly issuer: string;
  readonly issuerKnown: boolean;
  /** The authorization server declares that its redirects carry `iss`. */
  readonly issuerRequired: boolean;
}

/** The code of a redirect that answers our request. Throws an `OAuthError` if it is an error or not for us. */
export function readCallback(parameters: URLSearchParams, expected: CallbackExpectation): string {
  if (!isForUs(parameters, expected)) throw new OAuthError('state_mismatch', 'the redirect answers another request');
  // Check before trusting an error: another server must not be able to end the flow.
  checkIssuer(parameters.get('iss'), expected);
  const error = parameters.get('error');
  if (error !== null) {
    const code = /^[\x21-\x7e]{1,64}$/.test(error) ? error : 'error';
    throw new OAuthError(code, `the authorization server refused (${code})`);
  }
  const code = parameters.get('code');
  if (code === null || code === '') throw new OAuthError('no_code', 'the redirect carries no code');
  return code;
}

/** Whether a redirect belongs to this request. */
export function isForUs(parameters: URLSearchParams, expected: CallbackExpectation): boolean {
  return parameters.get('state') === expected.state && parameters.getAll('state').length === 1;
}

/** The parameters in pasted text: the redirected URL, or its query. Undefined if there are none. */
export function readPasted(text: string): URLSearchParams | undefined {
  const trimmed = text.trim().slice(0, LIMITS.pastedTextMax);
  const query = URL.parse(trimmed)?.search ?? trimmed;
  const parameters = new URLSearchParams(query);
  return parameters.has('state') ? parameters : undefined;
}

function checkIssuer(issuer: string | null, expected: CallbackExpectation): void {
  if (!expected.issuerKnown) return;
  if (issuer === null && expected.issuerRequired) {
    throw new OAuthError('issuer_missing', 'the redirect does not name its authorization server, which it should');
  }
  if (issuer !== null && issuer !== expected.issuer) {
    throw new OAuthError('issuer_mismatch', 'the redirect comes from another authorization server');
  }
}
