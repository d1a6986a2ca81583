import { afterEach, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { chooseClient } from './client-registration.ts';
import type { AuthorizationPlan } from './discover-authorization.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

const REDIRECT = 'http://127.0.0.1:1/callback';
const NOW = 1_000_000;

/** An authorization server that registers everybody, and what is chosen with these stored credentials. */
async function choose(stored: object, answer: object = { client_id: 'registered' }, status = 201) {
  const server = await new HttpFixture((reply) => reply.json(answer, status)).listen();
  const pool = new HttpPool();
  opened.push(
    () => pool.destroy(),
    () => server.close(),
  );
  const plan = {
    issuer: 'https://issuer.example',
    registrationEndpoint: new URL(`${server.origin}/register`),
    authMethods: [],
  } as unknown as AuthorizationPlan;
  const ports = {
    dispatcher: pool.entry({}),
    clientName: 'test',
    clientMetadataUrl: undefined,
    askForClient: undefined,
    now: () => NOW,
  };
  const client = await chooseClient(plan, {}, stored, REDIRECT, ports, undefined);
  return client.clientId;
}

const kept = { client_id: 'kept', client_secret: 's', issuer: 'https://issuer.example', redirect_uri: REDIRECT };

test.each([
  ['of the same issuer', kept, 'kept'],
  ['whose secret lasts a moment longer', { ...kept, client_secret_expires_at: NOW + 1 }, 'kept'],
  ['whose secret has ended', { ...kept, client_secret_expires_at: NOW }, 'registered'],
  ['of another issuer', { ...kept, issuer: 'https://issuer.example/other' }, 'registered'],
  ['for another redirect', { ...kept, redirect_uri: `${REDIRECT}2` }, 'registered'],
])('a client that was registered before, %s: %#', async (_what, stored, expected) => {
  expect(await choose(stored)).toBe(expected);
});

test.each([
  [{ client_id: 'new' }, 299, 'new'],
  [{ client_id: 'new' }, 300, 'registration_refused'],
  [{}, 201, 'registration_refused'],
  [{ client_id: 7 }, 201, 'registration_refused'],
])('a registration that is answered with %j and %i: %s', async (answer, status, expected) => {
  expect(await choose({}, answer, status).catch(({ code }: { code: string }) => code)).toBe(expected);
});
