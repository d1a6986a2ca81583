import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer, walkThrough } from '../fixtures/authorization-server.ts';
import { World } from '../fixtures/connect.ts';
import { startPersonalServer } from '../fixtures/personal-server.ts';
import { requestModern } from '../support/raw-client.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

const world = new World();
let accounts: AuthorizationServer;
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  accounts = world.keep(await startAuthorizationServer());
  const [own, shared] = await Promise.all([
    startPersonalServer(accounts, '2025'),
    startPersonalServer(accounts, '2026'),
  ]);
  world.keep(own);
  world.keep(shared);
  home = await createHome({
    version: 1,
    mcp: {
      servers: {
        own: { transport: 'http', url: own.url, credentials: 'per_user' },
        shared: { transport: 'http', url: shared.url },
      },
    },
    gateway: { exposure: 'all', profiles: { default: { servers: ['own', 'shared'] } } },
  });
  bindery = await startBindery(home);
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
  await world.close();
});

async function login(server: string): Promise<string> {
  const admin = readFileSync(join(home.dataDir, 'admin.token'), 'utf8').trim();
  const response = await fetch(`${bindery.url}/v1/servers/${server}/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { authorization_url: string }).authorization_url;
}

async function has(name: string): Promise<void> {
  await until(`${name} is listed`, async () => {
    const { result } = await requestModern(bindery.mcpUrl, 'tools/list');
    return (result as { tools: { name: string }[] }).tools.some((tool) => tool.name === name);
  });
}

test('a shared server is signed in to at the gateway’s own address, so that the browser may be elsewhere [gateway:WHO11] [gateway:D1]', async () => {
  const address = await login('shared');
  const redirectUri = `${bindery.mcpUrl}/oauth/callback`;
  expect(new URL(address).searchParams.get('redirect_uri')).toBe(redirectUri);
  const page = await (await fetch(await walkThrough(address, redirectUri, 'ada'))).text();
  expect(page).toContain('Signed in');
  await has('shared__of_ada');
});

test('on one’s own machine the one who is there is the user, and the command signs in for them [gateway:WHO11]', async () => {
  await requestModern(bindery.mcpUrl, 'tools/list');
  const address = await login('own');
  const welcome = await fetch(address);
  const [cookie = ''] = welcome.headers.getSetCookie().map((text) => text.split(';')[0]);
  const page = await welcome.text();
  expect(page).toContain('for local, and for nobody else');
  const next = (/href="([^"]+)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
  await fetch(await walkThrough(next, `${bindery.mcpUrl}/oauth/callback`, 'grace'), { headers: { cookie } });
  await has('own__of_grace');
  const { result } = await requestModern(bindery.mcpUrl, 'tools/call', { name: 'own__whoami', arguments: {} });
  expect(result).toMatchObject({ content: [{ text: 'secret of grace' }] });
});
