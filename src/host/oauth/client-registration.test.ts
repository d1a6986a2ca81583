import { afterEach, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { chooseClient, type RegistrationPorts } from './client-registration.ts';
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

/** What is chosen, whole, and what was registered for it. */
async function chosen(given: {
  readonly plan?: Partial<AuthorizationPlan>;
  readonly configured?: OAuthSpec;
  readonly stored?: object;
  readonly ports?: Partial<RegistrationPorts>;
  readonly answer?: object;
}) {
  const server = await new HttpFixture((reply) =>
    reply.json(given.answer ?? { client_id: 'registered' }, 201),
  ).listen();
  const pool = new HttpPool();
  opened.push(
    () => pool.destroy(),
    () => server.close(),
  );
  const plan = {
    issuer: 'https://issuer.example',
    registrationEndpoint: new URL(`${server.origin}/register`),
    authMethods: [],
    acceptsMetadataDocument: false,
    ...given.plan,
  } as unknown as AuthorizationPlan;
  const ports = {
    dispatcher: pool.entry({}),
    clientName: 'test',
    clientMetadataUrl: undefined,
    askForClient: undefined,
    now: () => NOW,
    ...given.ports,
  };
  const client = await chooseClient(plan, given.configured ?? {}, given.stored, REDIRECT, ports, undefined).catch(
    ({ code }: { code: string }) => code,
  );
  return { client, registered: server.seen.map(({ body }) => JSON.parse(body)) };
}

test('a client of the config takes precedence, with its secret if it has one', async () => {
  const all = { stored: kept, plan: { acceptsMetadataDocument: true } };
  expect([
    await chosen({ ...all, configured: { clientId: 'mine', clientSecret: 'word' } }),
    await chosen({ ...all, configured: { clientId: 'mine' } }),
  ]).toEqual([
    { client: { clientId: 'mine', clientSecret: 'word' }, registered: [] },
    { client: { clientId: 'mine' }, registered: [] },
  ]);
});

test('a stored client is reused with all members, and one without a redirect URI fits any', async () => {
  const { redirect_uri: _, ...anywhere } = kept;
  expect([
    (await chosen({ stored: { ...kept, auth_method: 'none', client_secret_expires_at: NOW + 1 } })).client,
    (await chosen({ stored: { client_id: 'kept', issuer: kept.issuer } })).client,
    (await chosen({ stored: anywhere })).client,
    (await chosen({ stored: { ...anywhere, client_id: undefined } })).client,
  ]).toEqual([
    { clientId: 'kept', clientSecret: 's', authMethod: 'none', secretExpiresAt: NOW + 1 },
    { clientId: 'kept' },
    { clientId: 'kept', clientSecret: 's' },
    { clientId: 'registered' },
  ]);
});

test('a metadata document is the client if the server accepts it and it fits; otherwise a client is registered', async () => {
  const [ours, theirs] = ['https://ours.example/client.json', 'https://theirs.example/client.json'];
  const idOf = async (configured: OAuthSpec, document: string | undefined, accepts = true) => {
    const ports = { clientMetadataUrl: () => document };
    const { client } = await chosen({ plan: { acceptsMetadataDocument: accepts }, configured, ports });
    return (client as { clientId: string }).clientId;
  };
  expect([
    await idOf({}, ours),
    await idOf({ clientMetadataUrl: theirs }, ours),
    await idOf({}, ours, false),
    await idOf({ redirectUri: REDIRECT }, ours),
    await idOf({ redirectUri: REDIRECT, clientMetadataUrl: theirs }, ours),
    await idOf({}, undefined),
    await idOf({}, 'http://ours.example/client.json'),
  ]).toEqual([ours, theirs, 'registered', 'registered', theirs, 'registered', 'registered']);
});

test('if no client can be registered, a person is asked and must name one', async () => {
  const plan = { registrationEndpoint: undefined };
  const asked: unknown[] = [];
  const answering = (answer: unknown) => ({
    askForClient: async (...question: unknown[]) => {
      asked.push(question);
      return answer as { clientId: string };
    },
  });
  expect([
    (await chosen({ plan, ports: answering({ clientId: 'by hand', clientSecret: 'x' }) })).client,
    (await chosen({ plan, ports: answering({ clientId: '' }) })).client,
    (await chosen({ plan, ports: answering({ clientId: 7 }) })).client,
    (await chosen({ plan, ports: answering(undefined) })).client,
    (await chosen({ plan })).client,
    asked[0],
  ]).toEqual([
    { clientId: 'by hand', clientSecret: 'x' },
    ...Array.from({ length: 4 }, () => 'needs_client_registration'),
    ['https://issuer.example', REDIRECT],
  ]);
});

test.each([
  [[], 'none'],
  [['none', 'client_secret_basic'], 'none'],
  [['client_secret_basic', 'none'], 'none'],
  [['private_key_jwt', 'client_secret_post', 'client_secret_basic'], 'client_secret_post'],
  [['client_secret_basic'], 'client_secret_basic'],
  [['private_key_jwt'], 'none'],
])('where %j is supported a client is registered for %s', async (authMethods, method) => {
  const { registered } = await chosen({ plan: { authMethods } });
  expect(registered).toMatchObject([{ token_endpoint_auth_method: method, redirect_uris: [REDIRECT] }]);
});

test.each([
  [{ client_secret: 7, token_endpoint_auth_method: 7, client_secret_expires_at: '5' }, {}],
  [
    { client_secret: 'x', token_endpoint_auth_method: 'none' },
    { clientSecret: 'x', authMethod: 'none' },
  ],
  [{ client_secret_expires_at: 0 }, {}],
  [{ client_secret_expires_at: 1 }, { secretExpiresAt: 1_000 }],
  [{ client_secret_expires_at: -1 }, {}],
])('of a registration with %j this is kept: %j', async (more, members) => {
  const { client } = await chosen({ answer: { client_id: 'new', ...more } });
  expect(client).toEqual({ clientId: 'new', ...members });
});
