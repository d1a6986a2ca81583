import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { walkThrough } from '../fixtures/authorization-server.ts';
import { World } from '../fixtures/connect.ts';
import { freePort } from '../support/free-port.ts';
import { startTokenAuthority, type TokenAuthority } from '../support/oauth-gateway.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery } from '../support/running-bindery.ts';

const REDIRECT = 'http://127.0.0.1:9/callback';
const world = new World();
let authority: TokenAuthority;
let home: BinderyHome;
let bindery: RunningBindery;
let mcp: string;

beforeAll(async () => {
  authority = world.keep(await startTokenAuthority());
  const port = await freePort();
  mcp = `http://127.0.0.1:${port}/mcp`;
  home = await createHome({
    version: 1,
    gateway: { exposure: 'search', auth: { oauth: { issuer: authority.issuer, audience: mcp } } },
  });
  bindery = await startBindery(home, '--port', String(port));
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
  await world.close();
});

/** The SDK's own OAuth client, with a person who signs in where it is sent. */
function provider(tokens?: { access_token: string; token_type: string; scope: string }) {
  const asked: string[] = [];
  let [stored, client, verifier] = [tokens as never, undefined as never, ''];
  const own: OAuthClientProvider & { answer: URLSearchParams | undefined } = {
    answer: undefined,
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'sdk',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information as never;
    },
    tokens: () => stored,
    saveTokens: (saved) => {
      stored = saved as never;
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    redirectToAuthorization: async (url) => {
      asked.push(url.searchParams.get('scope') ?? '');
      own.answer = new URL(await walkThrough(url.href, REDIRECT, 'ada')).searchParams;
    },
  };
  return { own, asked };
}

async function connect(authProvider: ReturnType<typeof provider>['own']): Promise<Client> {
  const client = new Client({ name: 'sdk', version: '1' });
  const first = new StreamableHTTPClientTransport(new URL(mcp), { authProvider });
  await client.connect(first).catch(() => {});
  if (authProvider.answer === undefined) throw new Error('nobody was asked to sign in');
  await first.finishAuth(authProvider.answer);
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { authProvider }));
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

test('the SDK’s client signs in with the address alone [gateway:WHO1] [gateway:WHO2]', async () => {
  const { own, asked } = provider();
  const client = await connect(own);
  expect([await namesOf(client), asked]).toEqual([['find_tools', 'call_tool'], ['bindery:call offline_access']]);
  await client.close();
});

test('the SDK’s client gets the scope that it lacks [gateway:WHO4]', async () => {
  const weak = await authority.tokenFor('ada', mcp, 'bindery:read');
  const { own, asked } = provider({ access_token: weak, token_type: 'Bearer', scope: 'bindery:read' });
  const client = await connect(own);
  expect([await namesOf(client), asked]).toEqual([
    ['find_tools', 'call_tool'],
    ['bindery:read bindery:call offline_access'],
  ]);
  await client.close();
});
