import { createHash, randomBytes } from 'node:crypto';
import type { Dispatcher } from 'undici';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { type CallbackExpectation, isForUs, readCallback, readPasted } from './callback.ts';
import { type CallbackListener, listenForCallback } from './callback-listener.ts';
import { chooseClient, type OAuthClient, type RegistrationPorts } from './client-registration.ts';
import { type AuthorizationPlan, unionScopes } from './discover-authorization.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { OAuthError } from './oauth-error.ts';
import { requestToken, type Tokens } from './request-token.ts';
import type { StoredCredentials } from './token-store.ts';
import type { SeenRequest } from './watched-dispatcher.ts';

/** The information that a person sees before the browser opens. */
export interface SignInRequest {
  readonly serverId: string;
  readonly serverUrl: string;
  readonly issuer: string;
  readonly authorizationUrl: string;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** A step of a sign-in, for display. */
export interface SignInStep {
  readonly name: 'discover' | 'register' | 'consent' | 'token';
  readonly state: 'running' | 'done';
  readonly detail?: string;
}

/** The interactive part of a sign-in. */
export interface SignInPorts {
  /** Shows the request and opens the browser, or shows the URL. Rejecting ends the sign-in. */
  readonly present: (request: SignInRequest, signal: AbortSignal) => Promise<void>;
  /** Asks for the redirected URL if the browser cannot reach this machine; called again if the URL does not fit. */
  readonly paste?: (request: SignInRequest, signal: AbortSignal) => Promise<string>;
  readonly onStep?: (step: SignInStep) => void;
  /** Called for each request of a step, when it is answered or has failed. */
  readonly onRequest?: (seen: SeenRequest) => void;
  readonly askForClient?: (issuer: string, redirectUri: string) => Promise<OAuthClient | undefined>;
  readonly timeoutMs?: number;
  /** The callback port if the entry sets none; 0 picks a free one. */
  readonly callbackPort?: number;
  /** Receives the redirect instead of the loopback, if the browser is on another machine. */
  readonly callback?: () => CallbackListener;
}

export interface SignIn {
  readonly tokens: Tokens;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly resource: string | undefined;
  /** The requested scope, because the answer may omit it. */
  readonly scope: string | undefined;
}

export interface SignInOptions {
  readonly serverId: string;
  readonly serverUrl: URL;
  readonly plan: AuthorizationPlan;
  readonly configured: OAuthSpec;
  readonly stored: StoredCredentials | undefined;
  readonly scope: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly registration: Omit<RegistrationPorts, 'askForClient'>;
  readonly ports: SignInPorts;
  readonly signal: AbortSignal | undefined;
}

/** Signs a person in: authorization code with PKCE, answered through the loopback or a pasted URL. */
export async function signIn(options: SignInOptions): Promise<SignIn> {
  const deadline = AbortSignal.timeout(options.ports.timeoutMs ?? LIMITS.signInTimeoutMs);
  const over = new AbortController();
  const signal = AbortSignal.any([deadline, over.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const listener = await openListener(options);
  try {
    const result = await runFlow(options, listener, signal);
    listener?.finish(undefined);
    return result;
  } catch (thrown) {
    const error = options.signal?.aborted
      ? new OAuthError('cancelled', 'the sign-in was given up', thrown)
      : thrown instanceof OAuthError
        ? thrown
        : new OAuthError('failed', 'the sign-in failed', thrown);
    listener?.finish(error);
    throw error;
  } finally {
    over.abort();
    listener?.close();
  }
}

async function runFlow(
  options: SignInOptions,
  listener: CallbackListener | undefined,
  signal: AbortSignal,
): Promise<SignIn> {
  const { plan, configured, stored, dispatcher, ports } = options;
  const redirectUri = configured.redirectUri ?? listener?.redirectUri;
  if (redirectUri === undefined) throw new OAuthError('port_taken', 'the port of the OAuth callback is taken');
  const registration = { ...options.registration, askForClient: ports.askForClient };
  ports.onStep?.({ name: 'register', state: 'running' });
  const client = await chooseClient(plan, configured, stored, redirectUri, registration, signal);
  ports.onStep?.({ name: 'register', state: 'done', detail: client.clientId });
  const verifier = randomBytes(48).toString('base64url');
  const state = randomBytes(24).toString('base64url');
  const resource = configured.resource === false ? undefined : (configured.resource ?? plan.resource);
  const scope = configured.scope ?? withOfflineAccess(options.scope, plan);
  const request: SignInRequest = {
    serverId: options.serverId,
    serverUrl: options.serverUrl.href,
    issuer: plan.issuer,
    redirectUri,
    scope,
    resource,
    authorizationUrl: authorizationUrl(plan, { client, redirectUri, state, verifier, scope, resource }),
  };
  const expected: CallbackExpectation = {
    state,
    issuer: plan.issuer,
    issuerKnown: plan.issuerKnown,
    issuerRequired: plan.issuerInRedirect,
  };
  const asked = { name: 'consent', detail: plan.authorizationEndpoint.origin } as const;
  ports.onStep?.({ ...asked, state: 'running' });
  const parameters = await firstAnswer(request, expected, listener, ports, signal);
  const code = readCallback(parameters, expected);
  ports.onStep?.({ ...asked, state: 'done' });
  const grant = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    resource,
  };
  ports.onStep?.({ name: 'token', state: 'running', detail: plan.tokenEndpoint.origin });
  const tokens = await requestToken(dispatcher, plan.tokenEndpoint, client, plan.authMethods, grant, signal);
  ports.onStep?.({ name: 'token', state: 'done', detail: plan.tokenEndpoint.origin });
  return { tokens, client, redirectUri, resource, scope };
}

/** The loopback and the pasted URL race; the first valid answer wins. */
async function firstAnswer(
  request: SignInRequest,
  expected: CallbackExpectation,
  listener: CallbackListener | undefined,
  ports: SignInPorts,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const { paste } = ports;
  if (listener === undefined && paste === undefined)
    throw new OAuthError('port_taken', 'there is no way to receive the answer of the sign-in');
  const received = listener?.waitFor(expected.state, signal);
  // It is awaited below; a failing `present` must not leave it unhandled.
  received?.catch(() => {});
  const presented = ports.present(request, signal);
  // Ask for the URL only after the person has seen where to sign in.
  const typed = paste && presented.then(() => pasted(request, expected, paste, signal));
  const answer = Promise.race([received, typed].filter((way) => way !== undefined));
  answer.catch(() => {});
  await Promise.race([presented, answer]);
  return answer;
}

async function pasted(
  request: SignInRequest,
  expected: CallbackExpectation,
  paste: NonNullable<SignInPorts['paste']>,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  for (;;) {
    const parameters = readPasted(await paste(request, signal));
    if (signal.aborted) throw new OAuthError('timed_out', 'nobody signed in in time');
    if (parameters !== undefined && isForUs(parameters, expected)) return parameters;
  }
}

/** Opens the callback at the configured port, the previously registered one, or a free one. */
async function openListener({ configured, stored, plan, ports }: SignInOptions): Promise<CallbackListener | undefined> {
  const remote = configured.callbackPort === undefined ? ports.callback?.() : undefined;
  if (remote && (configured.redirectUri ?? remote.redirectUri) === remote.redirectUri) return remote;
  if (configured.redirectUri !== undefined) {
    const own = URL.parse(configured.redirectUri);
    const local = own !== null && ['127.0.0.1', 'localhost'].includes(own.hostname) && own.port !== '';
    return local ? listenForCallback(Number(own.port), own.pathname) : undefined;
  }
  const wanted = configured.callbackPort ?? ports.callbackPort;
  if (wanted !== undefined && wanted !== 0) return listenForCallback(wanted);
  const registered = stored?.issuer === plan.issuer ? URL.parse(stored.redirect_uri ?? '')?.port : undefined;
  const again = registered === undefined || registered === '' ? undefined : await listenForCallback(Number(registered));
  return again ?? listenForCallback(0);
}

interface AuthorizationParameters {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly state: string;
  readonly verifier: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

function authorizationUrl(plan: AuthorizationPlan, parameters: AuthorizationParameters): string {
  const { client, redirectUri, state, verifier, scope, resource } = parameters;
  const url = new URL(plan.authorizationEndpoint);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', client.clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('state', state);
  url.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'));
  url.searchParams.set('code_challenge_method', 'S256');
  if (scope !== undefined) url.searchParams.set('scope', scope);
  if (resource !== undefined) url.searchParams.set('resource', resource);
  // Authorization servers issue refresh tokens for this scope only after consent.
  if (scope?.split(' ').includes('offline_access')) url.searchParams.set('prompt', 'consent');
  return url.href;
}

function withOfflineAccess(scope: string | undefined, plan: AuthorizationPlan): string | undefined {
  return scope !== undefined && plan.offersOfflineAccess ? unionScopes(scope, 'offline_access') : scope;
}
