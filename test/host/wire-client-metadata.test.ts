import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInPorts, SignInRequest } from '../../src/host/oauth/sign-in.ts';
import { OAuthCallbacks } from '../../src/runtime/users/oauth-callbacks.ts';
import { type AuthorizationServer, startAuthorizationServer, walkThrough } from '../fixtures/authorization-server.ts';
import { http, World } from '../fixtures/connect.ts';
import { emptyStore, startGuardedServer } from '../fixtures/guarded-server.ts';
import { exampleTls, trustExampleTls } from '../support/example-tls.ts';

const world = new World();
let as: AuthorizationServer;
let server: Server;
const desk = new OAuthCallbacks();
const GATEWAY = 'gateway.example.com';

/** The name is of the certificate; nobody resolves it. */
const here = (url: string) => url.replace(GATEWAY, '127.0.0.1');

beforeAll(async () => {
  trustExampleTls();
  as = world.keep(await startAuthorizationServer({ metadataDocuments: here }));
  const app = new Hono();
  desk.serve(app, (owner) => owner);
  server = createServer(exampleTls, getRequestListener(app.fetch));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  desk.open(() => `https://${GATEWAY}:${(server.address() as AddressInfo).port}/mcp`);
});
afterAll(async () => {
  await world.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Signs in to a server and gives what was asked for and kept. */
async function signIn(options: Parameters<World['host']>[0], oauth = {}) {
  const { url, fixture } = await startGuardedServer({ server: as });
  world.keep(fixture);
  const { store } = await emptyStore();
  const asked: SignInRequest[] = [];
  const person: SignInPorts = {
    ...options?.person,
    timeoutMs: 20_000,
    present: async (request) => {
      asked.push(request);
      await (await fetch(here(await walkThrough(request.authorizationUrl, request.redirectUri)))).text();
    },
  };
  const host = world.host({ ...options, tokens: store, person });
  host.apply([http(url, { oauth })]);
  await host.settled();
  const { lastError, state } = host.statusOf('http') ?? {};
  return { asked, state, lastError, stored: await store.get('http') };
}

test('[wire:OAUTH] the gateway says at its public address who it is', async () => {
  const url = desk.clientMetadataUrl ?? '';
  const response = await fetch(here(url));
  expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
    200,
    'application/json',
    {
      client_id: url,
      client_name: 'Bindery',
      redirect_uris: [url.replace('client-metadata', 'callback'), 'http://127.0.0.1/mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  ]);
});

test('[wire:OAUTH] a gateway without a public https address has no client metadata', async () => {
  const plain = new OAuthCallbacks();
  const app = new Hono();
  plain.serve(app, (owner) => owner);
  expect([plain.clientMetadataUrl, (await app.request('/mcp/oauth/client-metadata')).status]).toEqual([undefined, 404]);
  plain.open(() => 'http://127.0.0.1:3022/mcp');
  expect([plain.clientMetadataUrl, (await app.request('/mcp/oauth/client-metadata')).status]).toEqual([undefined, 404]);
});

test.each(['the loopback', 'the gateway'])(
  '[wire:OAUTH] where the authorization server reads metadata documents, nobody registers, and %s is answered',
  async (where) => {
    const callback = () => desk.listener() as NonNullable<ReturnType<OAuthCallbacks['listener']>>;
    const { state, lastError, stored, asked } = await signIn({
      clientMetadataUrl: () => desk.clientMetadataUrl,
      ...(where === 'the gateway' ? { person: { present: async () => {}, callback } } : {}),
    });
    expect([state, lastError, stored?.client_id, as.registrations]).toEqual([
      'ready',
      undefined,
      desk.clientMetadataUrl,
      0,
    ]);
    expect(asked[0]?.redirectUri).toMatch(
      where === 'the gateway' ? /^https:\/\/gateway\.example\.com:/ : /^http:\/\/127\.0\.0\.1:/,
    );
  },
);

test('[wire:OAUTH] an entry names its own document, which wins over that of the host', async () => {
  const url = desk.clientMetadataUrl ?? '';
  const { state, stored } = await signIn(
    { clientMetadataUrl: () => 'https://host.example/client' },
    { clientMetadataUrl: url },
  );
  expect([state, stored?.client_id, as.registrations]).toEqual(['ready', url, 0]);
});

test('[wire:OAUTH] a document that cannot be a client id, or does not fit the redirect, is not used: the client registers', async () => {
  const before = as.registrations;
  const plain = await signIn({ clientMetadataUrl: () => 'http://127.0.0.1:1/client' });
  expect([plain.state, as.registrations - before]).toEqual(['ready', 1]);
});
