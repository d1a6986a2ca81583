import type { Dispatcher } from 'undici';
import type { OAuthClient } from './client-registration.ts';
import { requestJson } from './http-json.ts';
import { OAuthError } from './oauth-error.ts';

/** The answer of a token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds from now. */
  readonly expiresInMs: number | undefined;
  readonly tokenType: string;
  readonly scope: string | undefined;
}

/** Requests tokens from a token endpoint; keeps the code of an OAuth error. */
export async function requestToken(
  dispatcher: Dispatcher,
  endpoint: URL,
  client: OAuthClient,
  supported: readonly string[],
  grant: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<Tokens> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(grant)) if (value !== undefined) form.set(name, value);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
    ...authenticate(client, supported, form),
  };
  const body = Buffer.from(form.toString());
  const answer = await requestJson(dispatcher, { url: endpoint, method: 'POST', headers, body }, signal);
  const { access_token, refresh_token, expires_in, token_type, scope, error } = answer.body ?? {};
  if (answer.status >= 500) throw new OAuthError('unreachable', `${endpoint.host} answered HTTP ${answer.status}`);
  if (answer.status >= 300 || typeof access_token !== 'string' || access_token === '') {
    const code = typeof error === 'string' && /^[\x21-\x7e]{1,64}$/.test(error) ? error : 'no_token';
    throw new OAuthError(code, `${endpoint.host} gave no token (${code})`);
  }
  if (typeof token_type === 'string' && token_type.toLowerCase() !== 'bearer') {
    throw new OAuthError('unsupported_token_type', `${endpoint.host} gave a token that is no bearer token`);
  }
  return {
    accessToken: access_token,
    refreshToken: typeof refresh_token === 'string' ? refresh_token : undefined,
    // Some servers send the number as a string.
    expiresInMs: Number(expires_in) > 0 ? Number(expires_in) * 1000 : undefined,
    tokenType: 'Bearer',
    scope: typeof scope === 'string' ? scope : undefined,
  };
}

function authenticate(
  client: OAuthClient,
  supported: readonly string[],
  form: URLSearchParams,
): Record<string, string> {
  const method = authMethod(client, supported);
  if (method === 'client_secret_basic') {
    const pair = `${formEncode(client.clientId)}:${formEncode(client.clientSecret ?? '')}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  form.set('client_id', client.clientId);
  if (method === 'client_secret_post') form.set('client_secret', client.clientSecret ?? '');
  return {};
}

function authMethod(client: OAuthClient, supported: readonly string[]): string {
  if (client.clientSecret === undefined) return 'none';
  const known = ['client_secret_basic', 'client_secret_post', 'none'];
  const registered = client.authMethod;
  if (
    registered !== undefined &&
    known.includes(registered) &&
    (supported.length === 0 || supported.includes(registered))
  ) {
    return registered;
  }
  // The default if a server names no method.
  if (supported.length === 0) return 'client_secret_basic';
  return known.find((method) => supported.includes(method)) ?? 'client_secret_post';
}

/** RFC 6749 form-encodes both halves of the Basic pair. */
function formEncode(value: string): string {
  return new URLSearchParams({ v: value }).toString().slice(2);
}
