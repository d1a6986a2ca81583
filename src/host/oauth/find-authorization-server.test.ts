import type { Dispatcher } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import type { OAuthSpec } from '../connection/supervision/server-set.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { type BearerChallenge, NO_CHALLENGE } from './challenge.ts';
import { canonicalUrl, discoverAuthorization } from './discover-authorization.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import type { OAuthError } from './oauth-error.ts';

const pool = new HttpPool();
let servers: Record<'mcp' | 'one' | 'two', HttpFixture>;
/** What each authorization server answers, and what the server's own metadata say. */
let answers: Record<'one' | 'two', { status: number; metadata: object }>;
let resource: { path: string; status: number; body: object };

beforeAll(async () => {
  const issuer = async (name: 'one' | 'two') => {
    const fixture: HttpFixture = await new HttpFixture((reply) => {
      const { status, metadata } = answers[name];
      if (reply.seen.path === '/.well-known/oauth-authorization-server') reply.json(metadata, status);
      else reply.json({}, 404);
    }).listen();
    return fixture;
  };
  const mcp = await new HttpFixture((reply) => {
    if (reply.seen.path === resource.path) reply.json(resource.body, resource.status);
    else reply.json({}, 404);
  }).listen();
  servers = { mcp, one: await issuer('one'), two: await issuer('two') };
});
beforeEach(() => {
  const { mcp, one, two } = servers;
  answers = { one: { status: 200, metadata: metadataOf(one) }, two: { status: 200, metadata: metadataOf(two) } };
  const body = { resource: mcp.url, authorization_servers: [one.origin, two.origin] };
  resource = { path: '/.well-known/oauth-protected-resource/mcp', status: 200, body };
  for (const server of Object.values(servers)) server.seen.length = 0;
});
afterAll(async () => {
  await pool.destroy();
  for (const server of Object.values(servers)) await server.close();
});

function metadataOf({ origin }: HttpFixture, more: object = {}) {
  const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
  return { issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'], ...more };
}

const discover = (configured: OAuthSpec = {}, challenge: Partial<BearerChallenge> = {}) =>
  discoverAuthorization(
    pool.entry({}),
    new URL(servers.mcp.url),
    { ...NO_CHALLENGE, ...challenge },
    configured,
    undefined,
  );
/** The issuer that is found, `none`, or the code of the failure. */
const found = (...given: Parameters<typeof discover>) =>
  discover(...given).then(
    (plan) => plan?.issuer ?? 'none',
    (thrown: OAuthError) => thrown.code,
  );

test('the first reachable authorization server is used; an unreachable one does not rule out the next', async () => {
  const outcomes = [await found()];
  answers.one.status = 500;
  outcomes.push(await found());
  answers.two.status = 404;
  outcomes.push(await found());
  answers.one.status = 404;
  outcomes.push(await found());
  answers.one.status = 499;
  outcomes.push(await found());
  const { one, two } = servers;
  expect(outcomes).toEqual([one.origin, two.origin, 'unreachable', 'none', 'none']);
});

test('metadata of another issuer end the search, even if others are listed', async () => {
  answers.one.metadata = metadataOf(servers.two);
  expect([await found(), servers.two.seen.length]).toEqual(['issuer_mismatch', 0]);
  answers.one.metadata = { ...metadataOf(servers.one), issuer: `${servers.one.origin}/` };
  expect(await found()).toBe(`${servers.one.origin}/`);
});

test('configured endpoints are used if no metadata are found, and both URLs are needed', async () => {
  answers.one.status = 500;
  answers.two.status = 500;
  const authorizationUrl = 'https://login.example/authorize';
  const tokenUrl = 'https://login.example/token';
  expect([
    await found({ authorizationUrl, tokenUrl }),
    await found({ authorizationUrl }),
    await found({ tokenUrl }),
  ]).toEqual(['https://login.example', 'unreachable', 'unreachable']);
});

test('an authorization server that does not declare PKCE is not used, unless the config names its endpoint', async () => {
  answers.one.metadata = metadataOf(servers.one, { code_challenge_methods_supported: ['plain'] });
  expect([await found(), await found({ authorizationUrl: 'https://login.example/authorize' })]).toEqual([
    'pkce_unsupported',
    servers.one.origin,
  ]);
});

test('the metadata URL of a challenge is requested only at the server’s own origin', async () => {
  const { mcp, one, two } = servers;
  resource.path = '/own';
  const at = (url: string) => found({}, { resourceMetadata: url });
  const foreign = `${two.origin}/own`;
  expect([
    await at(`${mcp.origin}/own`),
    await at(foreign),
    await at(`${mcp.origin.replace('//', '//user@')}/own`),
    await at(`${mcp.origin.replace('//', '//:word@')}/own`),
    await at('no url'),
    two.seen,
  ]).toEqual([one.origin, 'foreign_metadata', 'foreign_metadata', 'foreign_metadata', 'foreign_metadata', []]);
});

test('a server without resource metadata is its own authorization server; a failing one counts as absent', async () => {
  resource.status = 404;
  expect([await found(), servers.one.seen]).toEqual(['none', []]);
  resource.status = 500;
  expect(await found()).toBe('unreachable');
});

test.each([
  [{}, { authMethods: [], issuerInRedirect: false, acceptsMetadataDocument: false, offersOfflineAccess: false }],
  [
    {
      token_endpoint_auth_methods_supported: ['none', 7],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['offline_access'],
    },
    { authMethods: ['none'], issuerInRedirect: true, acceptsMetadataDocument: true, offersOfflineAccess: true },
  ],
  [
    {
      token_endpoint_auth_methods_supported: 'none',
      authorization_response_iss_parameter_supported: 'true',
      client_id_metadata_document_supported: 1,
      scopes_supported: ['openid'],
    },
    { authMethods: [], issuerInRedirect: false, acceptsMetadataDocument: false, offersOfflineAccess: false },
  ],
])('metadata with %j mean %j', async (more, expected) => {
  answers.one.metadata = metadataOf(servers.one, more);
  expect(await discover()).toMatchObject({ ...expected, issuerKnown: true, resourceScopes: undefined });
});

test('clients are registered where the metadata or the config say, unless the config names the client', async () => {
  const registrationOf = async (configured: OAuthSpec) => (await discover(configured))?.registrationEndpoint?.href;
  const none = await registrationOf({});
  answers.one.metadata = metadataOf(servers.one, { registration_endpoint: `${servers.one.origin}/register` });
  const registrationUrl = 'https://login.example/register';
  expect([
    none,
    await registrationOf({}),
    await registrationOf({ registrationUrl }),
    await registrationOf({ clientId: 'c' }),
    await registrationOf({ clientId: 'c', registrationUrl }),
  ]).toEqual([undefined, `${servers.one.origin}/register`, registrationUrl, undefined, undefined]);
});

test.each([
  ['http://login.example/token', 'insecure_endpoint'],
  ['https://user@login.example/token', 'insecure_endpoint'],
  ['https://:word@login.example/token', 'insecure_endpoint'],
  ['ftp://login.example/token', 'insecure_endpoint'],
  ['no url', 'insecure_endpoint'],
  [7, 'insecure_endpoint'],
])('a token endpoint at %j is refused', async (endpoint, code) => {
  answers.one.metadata = metadataOf(servers.one, { token_endpoint: endpoint });
  expect(await found()).toBe(code);
});

test.each([
  ['https://login.example/token', {}, 'https://login.example/token'],
  ['https://10.0.0.1/token', {}, 'private_endpoint'],
  ['http://127.0.0.1:1/token', {}, 'private_endpoint'],
  ['https://10.0.0.1/token', { allowPrivateEndpoints: true }, 'https://10.0.0.1/token'],
  ['https://10.0.0.1/token', { tokenUrl: 'https://10.0.0.2/token' }, 'https://10.0.0.2/token'],
])('a public server that leads to %s, with %j in the config, gives %s', async (endpoint, configured, expected) => {
  const issuer = 'https://mcp.example';
  answers.one.metadata = {
    issuer,
    authorization_endpoint: 'https://login.example/authorize',
    token_endpoint: endpoint,
    code_challenge_methods_supported: ['S256'],
  };
  // Names that are not there: whatever is asked goes to one of the servers of this test.
  const to = pool.entry({});
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    to.dispatch({ ...options, origin: servers.one.origin }, handler);
  const plan = discoverAuthorization(
    { dispatch } as Dispatcher,
    new URL(`${issuer}/mcp`),
    NO_CHALLENGE,
    configured,
    undefined,
  );
  const outcome = await plan.then(
    (found) => found?.tokenEndpoint.href,
    (thrown: OAuthError) => thrown.code,
  );
  expect(outcome).toBe(expected);
});

/** Which addresses are asked, in order, where each of these answers 404 but for the given ones. */
async function askedBy(serverUrl: string, answered: Readonly<Record<string, object>>): Promise<string[]> {
  const asked: string[] = [];
  const to = pool.entry({});
  const { one } = servers;
  const dispatch: Dispatcher['dispatch'] = (options, handler) => {
    const url = `${options.origin}${options.path}`;
    asked.push(url);
    const known = answered[url];
    answers.one = { status: known ? 200 : 404, metadata: known ?? {} };
    const path = '/.well-known/oauth-authorization-server';
    return to.dispatch({ ...options, origin: one.origin, path }, handler);
  };
  const plan = discoverAuthorization({ dispatch } as Dispatcher, new URL(serverUrl), NO_CHALLENGE, {}, undefined);
  await plan.catch(() => undefined);
  return asked;
}

const WELL_KNOWN = 'https://mcp.example/.well-known';

test('metadata are requested at the path, then at the root, each once, with the query', async () => {
  const own = [`${WELL_KNOWN}/oauth-authorization-server`, `${WELL_KNOWN}/openid-configuration`];
  expect([
    await askedBy('https://mcp.example/a/b?x=1', {}),
    await askedBy('https://mcp.example/', {}),
    await askedBy('https://mcp.example/a', {
      [`${WELL_KNOWN}/oauth-protected-resource/a`]: { resource: 'https://mcp.example/a' },
    }),
  ]).toEqual([
    [`${WELL_KNOWN}/oauth-protected-resource/a/b?x=1`, `${WELL_KNOWN}/oauth-protected-resource?x=1`, ...own],
    [`${WELL_KNOWN}/oauth-protected-resource`, ...own],
    [`${WELL_KNOWN}/oauth-protected-resource/a`, ...own],
  ]);
});

test('an issuer with a path is tried at three URLs, and the number of issuers is limited', async () => {
  const resourceAt = `${WELL_KNOWN}/oauth-protected-resource`;
  const issuers = Array.from(
    { length: LIMITS.authorizationServersMax + 1 },
    (_, index) => `https://as${index}.example`,
  );
  const named = (list: readonly unknown[]) =>
    askedBy('https://mcp.example/', {
      [resourceAt]: { resource: 'https://mcp.example/', authorization_servers: list },
    });
  const [, ...places] = await named(['https://as.example/tenant/', 7]);
  expect(places).toEqual([
    'https://as.example/.well-known/oauth-authorization-server/tenant',
    'https://as.example/.well-known/openid-configuration/tenant',
    'https://as.example/tenant/.well-known/openid-configuration',
  ]);
  const hosts = new Set((await named(issuers)).map((url) => new URL(url).host));
  expect([...hosts]).toEqual(['mcp.example', ...issuers.slice(0, -1).map((issuer) => new URL(issuer).host)]);
});

test('a plan names the issuer of its metadata, the scopes of the resource, and the resource by its own name', async () => {
  resource.body = { ...resource.body, scopes_supported: ['read', 7, 'write'] };
  const found = await discover();
  expect(found).toMatchObject({ issuerKnown: true, resource: servers.mcp.url, resourceScopes: 'read write' });
  answers.one.status = 404;
  answers.two.status = 404;
  const endpoints = { authorizationUrl: 'https://login.example/authorize', tokenUrl: 'https://login.example/token' };
  expect(await discover(endpoints)).toEqual({
    issuer: 'https://login.example',
    issuerKnown: false,
    authorizationEndpoint: new URL(endpoints.authorizationUrl),
    tokenEndpoint: new URL(endpoints.tokenUrl),
    registrationEndpoint: undefined,
    authMethods: [],
    issuerInRedirect: false,
    acceptsMetadataDocument: false,
    resource: servers.mcp.url,
    resourceScopes: 'read write',
    offersOfflineAccess: false,
  });
  resource.status = 404;
  expect(await discover(endpoints)).toMatchObject({ resource: servers.mcp.url, resourceScopes: undefined });
});

test('each configured endpoint overrides that of the metadata', async () => {
  const { origin } = servers.one;
  const [authorizationUrl, tokenUrl] = ['https://login.example/authorize', 'https://login.example/token'];
  const endpointsOf = async (configured: OAuthSpec) => {
    const plan = await discover(configured);
    return [plan?.issuer, plan?.authorizationEndpoint.href, plan?.tokenEndpoint.href];
  };
  expect([
    await endpointsOf({}),
    await endpointsOf({ authorizationUrl }),
    await endpointsOf({ tokenUrl }),
    await endpointsOf({ authorizationUrl, tokenUrl }),
  ]).toEqual([
    [origin, `${origin}/authorize`, `${origin}/token`],
    [origin, authorizationUrl, `${origin}/token`],
    [origin, `${origin}/authorize`, tokenUrl],
    [origin, authorizationUrl, tokenUrl],
  ]);
});

test('resource metadata of another server end the search without another request', async () => {
  resource.body = { resource: 'https://other.example/mcp', authorization_servers: [servers.one.origin] };
  const other = await found();
  resource.body = { authorization_servers: [servers.one.origin] };
  expect([other, await found(), servers.one.seen]).toEqual(['resource_mismatch', 'resource_mismatch', []]);
});

test.each([
  ['https://a.example/', 'https://a.example'],
  ['https://a.example', 'https://a.example'],
  ['https://a.example/?x=1', 'https://a.example/?x=1'],
  ['https://a.example/mcp#part', 'https://a.example/mcp'],
  ['https://a.example/#part', 'https://a.example'],
])('the name of the server %s is %s', (url, name) => {
  const given = new URL(url);
  expect([canonicalUrl(given), given.href]).toEqual([name, new URL(url).href]);
});
