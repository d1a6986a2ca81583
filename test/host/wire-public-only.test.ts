import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EMPTY_CATALOGUE } from '../../src/host/connection/catalogue/catalogue.ts';
import type { NameResolver } from '../../src/host/connection/supervision/named-endpoint.ts';
import type { HttpSpec } from '../../src/host/connection/supervision/server-set.ts';
import type { Host } from '../../src/host/host.ts';
import type { SignInPorts } from '../../src/host/oauth/sign-in.ts';
import { http, until, World } from '../fixtures/connect.ts';
import { HttpFixture, type HttpHandler, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';
import { exampleTls, trustExampleTls } from '../support/example-tls.ts';
import { type DnsAnswers, LoopbackDns } from '../support/loopback-dns.ts';

const PUBLIC = '93.184.215.14';

const world = new World();
beforeAll(trustExampleTls);
afterAll(() => world.close());

const serve = async (handler: HttpHandler = legacyHttp()) =>
  world.keep(await new HttpFixture(handler, exampleTls).listen());
const at = (host: string, fixture: HttpFixture, path = '/mcp') =>
  `https://${host}.example.com:${new URL(fixture.origin).port}${path}`;
const answers = (known: Readonly<Record<string, DnsAnswers>>) =>
  new LoopbackDns(Object.fromEntries(Object.entries(known).map(([host, all]) => [`${host}.example.com`, all])));
const registered = (url: string, more: Partial<HttpSpec> = {}) => http(url, { publicOnly: true, ...more });
const outcome = (host: Host, id = 'http') => {
  const { state, lastError } = host.statusOf(id) ?? {};
  return [state, lastError];
};

describe('a server whose address somebody else named', () => {
  test('is reached at a public address', async () => {
    const server = await serve();
    const dns = answers({ mcp: [[PUBLIC]] });
    const host = world.host({ lookup: dns.lookup });
    host.apply([registered(at('mcp', server))]);
    await host.settled();
    expect([outcome(host), new Set(dns.dialled)]).toEqual([['ready', undefined], new Set([PUBLIC])]);
  });

  test('is reached at the address that was judged: one that its name leads to later is judged again', async () => {
    const server = await serve();
    const dns = answers({ mcp: [[PUBLIC], ['127.0.0.1']] });
    const host = world.host({ lookup: dns.lookup });
    host.apply([registered(at('mcp', server))]);
    await until(() => dns.asked.length > 1);
    await until(() => host.statusOf('http')?.lastError !== undefined);
    expect([outcome(host)[1], dns.dialled]).toEqual([
      `cannot reach ${at('mcp', server, '')} (mcp.example.com is not public: loopback)`,
      [PUBLIC],
    ]);
  });

  test('is not reached where its name leads inside, at once or later', async () => {
    const server = await serve();
    const url = at('mcp', server);
    const refusals = [['10.0.0.1'], ['::1'], [PUBLIC, '169.254.169.254'], ['64:ff9b::7f00:1']].map(
      async (addresses) => {
        const host = world.host({ lookup: answers({ mcp: [addresses] }).lookup });
        host.apply([registered(url, { healthCheck: '/health' })]);
        await host.settled();
        return host.statusOf('http')?.lastError;
      },
    );
    const reason = (why: string) => `cannot reach ${new URL(url).origin} (mcp.example.com is not public: ${why})`;
    expect(await Promise.all(refusals)).toEqual(['private', 'loopback', 'link-local', 'loopback'].map(reason));
    const local = world.host();
    local.apply([registered(server.url), registered(server.url.replace('127.0.0.1', 'localhost'), { id: 'name' })]);
    await local.settled();
    expect([outcome(local)[0], outcome(local, 'name')[0], server.seen]).toEqual(['error', 'error', []]);
  });

  test('is asked for its health at public addresses only', async () => {
    const server = await serve(({ response }) => void response.writeHead(200).end());
    const resting = (addresses: string[]) => {
      const { lookup } = answers({ mcp: [addresses] });
      const host = world.host({ lookup, probe: { intervalMs: 20, timeoutMs: 5_000 } });
      host.apply([registered(at('mcp', server), { healthCheck: '/health' })], new Map([['http', EMPTY_CATALOGUE]]));
      return host;
    };
    const inside = resting(['10.0.0.1']);
    await until(() => inside.statusOf('http')?.state === 'error');
    expect([outcome(inside)[1], server.seen]).toEqual(['the health check failed (HOST_NOT_PUBLIC)', []]);
    const outside = resting([PUBLIC]);
    await until(() => outside.statusOf('http')?.lastProbedAt !== undefined);
    expect([outcome(outside), server.seen[0]?.path]).toEqual([['ready', undefined], '/health']);
  });

  test('may be one that a name leads to: names lead inside only where that is allowed', async () => {
    const server = await serve();
    const named = (allows: boolean | undefined, address: string) => {
      const names: NameResolver = {
        resolve: async () => ({ endpoint: address, ttl: 60 }),
        distrust: () => undefined,
        ...(allows === undefined ? {} : { allowsPrivateEndpoints: () => allows }),
      };
      return world.host({ names, lookup: answers({ mcp: [[PUBLIC]], inside: [['127.0.0.1']] }).lookup });
    };
    const outcomes = [
      named(undefined, at('mcp', server)),
      named(undefined, at('inside', server)),
      named(false, server.url),
      named(true, server.url),
    ].map(async (host) => {
      host.apply([{ id: 'acme', transport: 'http', identity: { name: 'ai://acme' } }]);
      await host.settled();
      return outcome(host, 'acme')[0];
    });
    expect(await Promise.all(outcomes)).toEqual(['ready', 'error', 'error', 'ready']);
  });
});

/** A server that wants a token, and what it says about where to get one. */
function guarded(metadata: (reply: Reply) => object, challenge = () => 'Bearer'): HttpHandler {
  const inner = legacyHttp();
  return (reply) => {
    const { path, headers } = reply.seen;
    if (path.startsWith('/.well-known/oauth-protected-resource')) reply.json(metadata(reply));
    else if (path.startsWith('/.well-known')) reply.json({}, 404);
    else if (headers.authorization === 'Bearer given') inner(reply);
    else reply.json({}, 401, { 'www-authenticate': challenge() });
  };
}

/** An authorization server that gives a token to whoever asks. */
function authorizing(issuer: () => string, more: () => object = () => ({})): HttpHandler {
  return (reply) => {
    if (reply.seen.path === '/.well-known/oauth-authorization-server') {
      const [token_endpoint, authorization_endpoint] = [`${issuer()}/token`, `${issuer()}/authorize`];
      const endpoints = { token_endpoint, authorization_endpoint, registration_endpoint: `${issuer()}/register` };
      const methods = { code_challenge_methods_supported: ['S256'] };
      reply.json({ issuer: issuer(), ...endpoints, ...methods, ...more() });
    } else if (reply.seen.path === '/register') reply.json({ client_id: 'c' }, 201);
    else reply.json({ access_token: 'given', token_type: 'Bearer' });
  };
}

/** A person who signs in at once; the pages that were opened. */
function person(opened: string[] = []): SignInPorts {
  return {
    timeoutMs: 20_000,
    present: async ({ authorizationUrl, redirectUri }) => {
      opened.push(authorizationUrl);
      const state = new URL(authorizationUrl).searchParams.get('state');
      await (await fetch(`${redirectUri}?code=x&state=${state}`)).text();
    },
  };
}

describe('the authorization of a public server', () => {
  /** A registered server whose metadata names an authorization server, both on loopback behind public names. */
  async function setUp(issuerHost: string, more: () => object = () => ({})) {
    let issuer = '';
    const login = await serve(authorizing(() => issuer, more));
    issuer = issuerHost.startsWith('http') ? issuerHost : at(issuerHost, login, '');
    const server = await serve(guarded(() => ({ resource: url, authorization_servers: [issuer] })));
    const url = at('mcp', server);
    const dns = answers({ mcp: [[PUBLIC]], login: [['93.184.215.15']], inside: [['10.0.0.1']] });
    return { login, server, url, dns };
  }

  test('is found at a public authorization server', async () => {
    const { url, dns, login } = await setUp('login');
    const host = world.host({ lookup: dns.lookup, person: person() });
    host.apply([registered(url)]);
    await host.settled();
    expect([outcome(host), [...new Set(dns.dialled)]]).toEqual([
      ['ready', undefined],
      [PUBLIC, '93.184.215.15'],
    ]);
    expect(login.seen.map(({ path }) => path)).toEqual([
      '/.well-known/oauth-authorization-server',
      '/register',
      '/token',
    ]);
  });

  test.each([
    ['a name that leads inside', 'inside', /inside\.example\.com is not public: private/],
    ['a loopback address', 'http://127.0.0.1:1', /127\.0\.0\.1 is not public: loopback/],
    ['a local name', 'https://login.internal', /login\.internal is not public: local name/],
  ])('is not looked for at %s', async (_name, issuer, reason) => {
    const { url, dns, login } = await setUp(issuer);
    const opened: string[] = [];
    const host = world.host({ lookup: dns.lookup, person: person(opened) });
    host.apply([registered(url)]);
    await host.settled();
    const [state, error] = outcome(host);
    expect([state, opened, login.seen]).toEqual(['error', [], []]);
    expect(error).toMatch(reason);
    expect(error).toContain('set oauth.allow_private_endpoints of this server');
  });

  test.each(['token_endpoint', 'authorization_endpoint', 'registration_endpoint'])(
    'is not led inside by the %s of a public authorization server',
    async (member) => {
      const inside = world.keep(await new HttpFixture((reply) => reply.json({})).listen());
      const { url, dns } = await setUp('login', () => ({ [member]: `${inside.origin}/x` }));
      const opened: string[] = [];
      const host = world.host({ lookup: dns.lookup, person: person(opened) });
      host.apply([registered(url)]);
      await host.settled();
      expect([outcome(host)[0], opened, inside.seen]).toEqual(['error', [], []]);
      expect(outcome(host)[1]).toContain('127.0.0.1 is not public: loopback');
    },
  );

  test('is not led inside by a token endpoint whose name leads there', async () => {
    const inside = await serve((reply) => reply.json({ access_token: 'given', token_type: 'Bearer' }));
    const { url, dns } = await setUp('login', () => ({ token_endpoint: at('inside', inside, '/token') }));
    const host = world.host({ lookup: dns.lookup, person: person() });
    host.apply([registered(url)]);
    await host.settled();
    expect([outcome(host)[0], inside.seen]).toEqual(['error', []]);
    expect(outcome(host)[1]).toContain('inside.example.com is not public: private');
  });

  test('may be inside where the config allows it, or names the endpoints', async () => {
    let issuer = '';
    const local = world.keep(await new HttpFixture(authorizing(() => issuer)).listen());
    issuer = local.origin;
    const { url, dns } = await setUp(issuer);
    const allowed = world.host({ lookup: dns.lookup, person: person() });
    allowed.apply([registered(url, { oauth: { allowPrivateEndpoints: true } })]);
    await allowed.settled();
    const named = world.host({ lookup: dns.lookup, person: person() });
    const endpoints = { authorizationUrl: `${issuer}/authorize`, tokenUrl: `${issuer}/token`, clientId: 'c' };
    named.apply([registered(url, { oauth: endpoints })]);
    await named.settled();
    expect([outcome(allowed), outcome(named)]).toEqual([
      ['ready', undefined],
      ['ready', undefined],
    ]);
  });
});

describe('resource metadata that a 401 names', () => {
  /** A server on loopback, as a user configures one, that names metadata at another origin. */
  async function setUp(own: boolean) {
    const elsewhere = world.keep(await new HttpFixture((reply) => reply.json({})).listen());
    let issuer = '';
    const login = world.keep(await new HttpFixture(authorizing(() => issuer)).listen());
    issuer = login.origin;
    const challenge = () => `Bearer resource_metadata="${elsewhere.origin}/secret"`;
    const metadata = () => ({ resource: server.url, authorization_servers: [issuer] });
    const handler = guarded(metadata, challenge);
    const server: HttpFixture = world.keep(
      await new HttpFixture((reply) =>
        own || !reply.seen.path.startsWith('/.well-known') ? handler(reply) : reply.json({}, 404),
      ).listen(),
    );
    return { server, elsewhere };
  }

  test('at another origin is not fetched: the server’s own is', async () => {
    const { server, elsewhere } = await setUp(true);
    const host = world.host({ person: person() });
    host.apply([http(server.url)]);
    await host.settled();
    expect([outcome(host), elsewhere.seen]).toEqual([['ready', undefined], []]);
  });

  test('at another origin is an error where the server has none of its own', async () => {
    const { server, elsewhere } = await setUp(false);
    const host = world.host({ person: person() });
    host.apply([http(server.url)]);
    await host.settled();
    expect([outcome(host), elsewhere.seen]).toEqual([
      ['error', `the server names resource metadata that is not at ${server.origin}`],
      [],
    ]);
  });

  test('is not looked for where the server asks for no token: a key in a header is what it wants', async () => {
    const server = world.keep(
      await new HttpFixture((reply) => reply.json({}, 401, { 'www-authenticate': 'ApiKey' })).listen(),
    );
    const host = world.host();
    host.apply([http(server.url)]);
    await host.settled();
    expect([outcome(host), server.seen.filter(({ verb }) => verb === 'GET')]).toEqual([
      ['error', 'the server requires authorization (HTTP 401)'],
      [],
    ]);
  });

  test('is not fetched at all while nobody can sign in', async () => {
    const { server, elsewhere } = await setUp(true);
    const host = world.host();
    host.apply([http(server.url)]);
    await host.settled();
    expect([host.statusOf('http')?.state, elsewhere.seen, server.seen.filter(({ verb }) => verb === 'GET')]).toEqual([
      'auth_required',
      [],
      [],
    ]);
  });
});
