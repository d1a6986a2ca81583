import type { Dispatcher } from 'undici';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { metadataUrlReason } from './client-metadata.ts';
import type { AuthorizationPlan } from './discover-authorization.ts';
import { requestJson } from './http-json.ts';
import { OAuthError } from './oauth-error.ts';
import type { StoredCredentials } from './token-store.ts';

/** Our client at an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** As registered; otherwise chosen from the methods that the server supports. */
  readonly authMethod?: string;
  /** When the secret expires, in milliseconds since 1970. */
  readonly secretExpiresAt?: number;
}

export interface RegistrationPorts {
  readonly dispatcher: Dispatcher;
  readonly clientName: string;
  /** A public https URL of our client metadata, which is then the client id. */
  readonly clientMetadataUrl: (() => string | undefined) | undefined;
  /** Asks the person for a manually registered client id. */
  readonly askForClient: ((issuer: string, redirectUri: string) => Promise<OAuthClient | undefined>) | undefined;
  readonly now: () => number;
}

/** In the order of the specification: configured, previously registered with the same issuer, metadata document, registration, manual. */
export async function chooseClient(
  plan: AuthorizationPlan,
  configured: OAuthSpec,
  stored: StoredCredentials | undefined,
  redirectUri: string,
  ports: RegistrationPorts,
  signal: AbortSignal | undefined,
): Promise<OAuthClient> {
  if (configured.clientId !== undefined) {
    const { clientId, clientSecret } = configured;
    return clientSecret === undefined ? { clientId } : { clientId, clientSecret };
  }
  const known = storedClient(plan, stored, redirectUri, ports.now());
  if (known !== undefined) return known;
  const document = plan.acceptsMetadataDocument ? metadataUrl(configured, ports) : undefined;
  if (document !== undefined) return { clientId: document };
  if (plan.registrationEndpoint !== undefined)
    return register(plan.registrationEndpoint, plan, redirectUri, ports, signal);
  const answered = await ports.askForClient?.(plan.issuer, redirectUri);
  if (typeof answered?.clientId === 'string' && answered.clientId !== '') return answered;
  throw new OAuthError(
    'needs_client_registration',
    `${new URL(plan.issuer).host} registers no clients by itself: set oauth.client_id of this server`,
  );
}

/** The metadata URL of the entry, or ours. Ours lists our own callbacks, so it does not fit a redirect URI that the entry sets. */
function metadataUrl(configured: OAuthSpec, ports: RegistrationPorts): string | undefined {
  const url =
    configured.clientMetadataUrl ?? (configured.redirectUri === undefined ? ports.clientMetadataUrl?.() : undefined);
  return url !== undefined && metadataUrlReason(url) === undefined ? url : undefined;
}

function storedClient(
  plan: AuthorizationPlan,
  stored: StoredCredentials | undefined,
  redirectUri: string,
  now: number,
): OAuthClient | undefined {
  if (stored?.client_id === undefined || stored.issuer !== plan.issuer) return undefined;
  if (stored.redirect_uri !== undefined && stored.redirect_uri !== redirectUri) return undefined;
  if (hasExpiredSecret(stored, now)) return undefined;
  return {
    clientId: stored.client_id,
    ...(stored.client_secret === undefined ? {} : { clientSecret: stored.client_secret }),
    ...(stored.auth_method === undefined ? {} : { authMethod: stored.auth_method }),
    ...(stored.client_secret_expires_at === undefined ? {} : { secretExpiresAt: stored.client_secret_expires_at }),
  };
}

/** A client with an expired secret has to register again. */
export function hasExpiredSecret({ client_secret_expires_at: end }: StoredCredentials, now: number): boolean {
  return end !== undefined && end <= now;
}

async function register(
  url: URL,
  plan: AuthorizationPlan,
  redirectUri: string,
  ports: RegistrationPorts,
  signal: AbortSignal | undefined,
): Promise<OAuthClient> {
  const publicAllowed = plan.authMethods.length === 0 || plan.authMethods.includes('none');
  const confidential = plan.authMethods.find(
    (method) => method === 'client_secret_basic' || method === 'client_secret_post',
  );
  const body = {
    client_name: ports.clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: publicAllowed ? 'none' : (confidential ?? 'none'),
    application_type: 'native',
  };
  const answer = await requestJson(
    ports.dispatcher,
    {
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    },
    signal,
  );
  const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at, error } = answer.body ?? {};
  if (answer.status >= 300 || typeof client_id !== 'string') {
    const said = typeof error === 'string' && /^[\x21-\x7e]{1,64}$/.test(error) ? `, ${error}` : '';
    const detail = `${url.host} refused to register this client (HTTP ${answer.status}${said})`;
    throw new OAuthError('registration_refused', detail);
  }
  return {
    clientId: client_id,
    ...(typeof client_secret === 'string' ? { clientSecret: client_secret } : {}),
    ...(typeof token_endpoint_auth_method === 'string' ? { authMethod: token_endpoint_auth_method } : {}),
    ...(typeof client_secret_expires_at === 'number' && client_secret_expires_at > 0
      ? { secretExpiresAt: client_secret_expires_at * 1000 }
      : {}),
  };
}
