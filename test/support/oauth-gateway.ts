import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import {
  AGENT,
  type AuthorizationServer,
  startAuthorizationServer,
  tokenFor,
} from '../fixtures/authorization-server.ts';

/** An authorization server whose key the test has as well, so that it can sign what a real one never would. */
export interface TokenAuthority {
  readonly server: AuthorizationServer;
  readonly issuer: string;
  /** A token as a client gets it for a person. */
  tokenFor(login: string, resource: string, scope: string): Promise<string>;
  /** A token with the issuer's own signature, and the claims and the type that the test wants. */
  sign(claims: JWTPayload, typ?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startTokenAuthority(): Promise<TokenAuthority> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwtKey = { ...(await exportJWK(privateKey)), kid: 'k1', use: 'sig', alg: 'RS256' };
  const server = await startAuthorizationServer({
    jwtKey,
    scope: 'bindery:call bindery:read bindery:admin team',
    clients: [AGENT],
  });
  return {
    server,
    issuer: server.issuer,
    tokenFor: (login, resource, scope) => tokenFor(server.issuer, login, resource, scope),
    sign: (claims, typ = 'at+jwt') =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1', typ }).sign(privateKey),
    close: () => server.close(),
  };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** `initialize` with a token, as a 2025 client sends it. */
export function initialize(url: string, token?: string, capabilities: object = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } },
    }),
  });
}

/** Status and challenge of an answer. */
export function refusal({ status, headers }: Response): [number, string | null] {
  return [status, headers.get('www-authenticate')];
}
