import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TokenStore } from '../../src/host/oauth/token-store.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { personWithBrowser } from '../fixtures/authorization-server.ts';
import { World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { freePort } from '../support/free-port.ts';
import { initialize, refusal, startTokenAuthority, type TokenAuthority } from '../support/oauth-gateway.ts';
import { requestModern } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnownTo,
} from '../support/running-bindery.ts';

const world = new World();
let authority: TokenAuthority;
let upstream: HttpFixture;
let home: BinderyHome;
let bindery: RunningBindery;
let mcp: string;
let admin: string;

beforeAll(async () => {
  authority = world.keep(await startTokenAuthority());
  upstream = world.keep(await new HttpFixture(legacyHttp()).listen());
  const port = await freePort();
  mcp = `http://127.0.0.1:${port}/mcp`;
  home = await createHome({
    version: 1,
    mcp: {
      servers: {
        web: { transport: 'http', url: upstream.url },
        child: {
          transport: 'stdio',
          command: process.execPath,
          args: [new URL('../fixtures/servers/environment-server.ts', import.meta.url).pathname],
        },
      },
    },
    gateway: {
      exposure: 'all',
      profiles: { work: {} },
      auth: { oauth: { issuer: authority.issuer, audience: mcp, required_scopes: ['team'] } },
    },
  });
  bindery = await startBindery(home, '--port', String(port), '--token', 'the-token');
  admin = readFileSync(join(home.dataDir, 'admin.token'), 'utf8').trim();
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
  await world.close();
});

const SCOPE = 'bindery:call team';
const metadata = (path = '') =>
  `resource_metadata="${mcp.replace('/mcp', '/.well-known/oauth-protected-resource/mcp')}${path}"`;
const scope = (text = 'team bindery:call') => `scope="${text}"`;
const invalid = (path = '') => [401, `Bearer error="invalid_token", ${metadata(path)}, ${scope()}`];
const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;
const claims = (more: object = {}) => ({
  iss: authority.issuer,
  sub: 'ada',
  aud: mcp,
  scope: SCOPE,
  exp: inAnHour(),
  ...more,
});

describe('a token of the authorization server', () => {
  test('opens the profile that it is for, and the person is in the session and in the log [gateway:WHO1] [gateway:WHO6]', async () => {
    const token = await authority.tokenFor('ada', mcp, SCOPE);
    await untilSeen();
    const opened = await initialize(mcp, token);
    const called = await requestModern(mcp, 'tools/call', { name: 'web__echo', arguments: {} }, bearer(token));
    const [record] = readAudit(home.dataDir, (reader) => reader.search({ tool: 'echo' }, 1));
    expect([opened.status, called.result, record]).toEqual([
      200,
      expect.objectContaining({ content: expect.anything() }),
      expect.objectContaining({
        caller: expect.stringMatching(/^user:ada#[\w-]{16}$/),
        user: `${authority.issuer} ada`,
        outcome: 'ok',
      }),
    ]);
  });

  test.each<[string, (token: Awaited<ReturnType<typeof goodAndBad>>) => string]>([
    ['for another audience', ({ otherAudience }) => otherAudience],
    ['that has expired', ({ expired }) => expired],
    ['that is not valid yet', ({ early }) => early],
    ['of another issuer', ({ otherIssuer }) => otherIssuer],
    ['that somebody else signed', ({ otherKey }) => otherKey],
    ['without a signature', ({ unsigned }) => unsigned],
    ['signed with a shared secret', ({ shared }) => shared],
    ['without an end', ({ endless }) => endless],
    ['without a subject', ({ nameless }) => nameless],
    ['that is an ID token', ({ idToken }) => idToken],
    ['that is bound to a key', ({ bound }) => bound],
    ['that is no token', () => 'nonsense'],
  ])('%s is refused, and the challenge says where to get one [gateway:WHO2]', async (_what, pick) => {
    expect(refusal(await initialize(mcp, pick(await goodAndBad())))).toEqual(invalid());
  });

  test('for one profile opens no other [gateway:WHO3]', async () => {
    const work = await authority.tokenFor('ada', `${mcp}/work`, SCOPE);
    const main = await authority.tokenFor('ada', mcp, SCOPE);
    expect([
      (await initialize(`${mcp}/work`, work)).status,
      refusal(await initialize(mcp, work)),
      refusal(await initialize(`${mcp}/work`, main)),
      refusal(await initialize(`${mcp}/nowhere`, main)),
    ]).toEqual([200, invalid(), invalid('/work'), invalid('/nowhere')]);
  });

  test('without a scope is sent to get it [gateway:WHO4] [gateway:E5]', async () => {
    const told = [403, `Bearer error="insufficient_scope", ${metadata()}, ${scope()}`];
    expect([
      refusal(await initialize(mcp, await authority.tokenFor('ada', mcp, 'bindery:call'))),
      refusal(await initialize(mcp, await authority.tokenFor('ada', mcp, 'bindery:read team'))),
      (await initialize(mcp, await authority.tokenFor('ada', mcp, 'bindery:admin team'))).status,
    ]).toEqual([told, told, 200]);
  });

  test('is asked for where there is none, and the metadata says who gives it [gateway:WHO1] [gateway:WHO2]', async () => {
    const origin = new URL(mcp).origin;
    const document = async (path: string) =>
      (await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)).json();
    const main = {
      resource: mcp,
      authorization_servers: [authority.issuer],
      scopes_supported: ['team', 'bindery:call'],
      bearer_methods_supported: ['header'],
      resource_name: 'Bindery',
    };
    expect([
      refusal(await initialize(mcp)),
      await document(''),
      await document('/mcp'),
      await document('/mcp/work'),
    ]).toEqual([
      [401, `Bearer ${metadata()}, ${scope()}`],
      main,
      main,
      { ...main, resource: `${mcp}/work`, resource_name: 'Bindery (work)' },
    ]);
  });

  test('is one of several credentials: the token of the command line and the admin’s hold beside it [gateway:WHO5]', async () => {
    expect([
      (await initialize(mcp, 'the-token')).status,
      (await initialize(mcp, admin)).status,
      (await initialize(mcp, 'bk_00000000_0000000000000000000000000000000000000000000')).status,
    ]).toEqual([200, 200, 401]);
  });

  test('reads and changes the admin API by its scopes [gateway:WHO5] [gateway:D5]', async () => {
    const { origin } = new URL(mcp);
    const read = await authority.tokenFor('ada', mcp, 'bindery:read team');
    const all = await authority.tokenFor('grace', mcp, 'bindery:admin team');
    const ask = async (method: string, path: string, token?: string) =>
      refusal(
        await fetch(`${origin}${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
          ...(method === 'POST' ? { body: '{}' } : {}),
        }),
      );
    expect([
      await ask('GET', '/v1/servers'),
      await ask('GET', '/v1/servers', read),
      await ask('GET', '/metrics', read),
      await ask('POST', '/v1/servers/web/reconnect', read),
      await ask('POST', '/v1/servers/web/reconnect', all),
    ]).toEqual([
      [401, `Bearer ${metadata()}, ${scope('team bindery:read')}`],
      [200, null],
      [200, null],
      [403, `Bearer error="insufficient_scope", ${metadata()}, ${scope('team bindery:admin')}`],
      [200, null],
    ]);
  });

  test('of another person does not open a session [gateway:WHO6] [gateway:S2]', async () => {
    const [ada, grace] = [await authority.tokenFor('ada', mcp, SCOPE), await authority.tokenFor('grace', mcp, SCOPE)];
    const id = (await initialize(mcp, ada)).headers.get('mcp-session-id') ?? '';
    const list = async (token: string) =>
      (
        await fetch(mcp, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-session-id': id,
            authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
        })
      ).status;
    expect([await list(grace), await list(ada)]).toEqual([404, 200]);
  });

  test('ends the streams that it opened when it ends [gateway:WHO9]', async () => {
    const scope = `${SCOPE} bindery:read`;
    const token = await authority.sign(claims({ scope, exp: Math.floor(Date.now() / 1_000) + 3 }));
    const headers = { authorization: `Bearer ${token}` };
    const id = (await initialize(mcp, token)).headers.get('mcp-session-id') ?? '';
    const stream = await fetch(mcp, { headers: { ...headers, accept: 'text/event-stream', 'mcp-session-id': id } });
    const listening = requestModern(
      mcp,
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { headers },
    );
    const events = await fetch(`${bindery.url}/v1/events`, { headers });
    expect(events.status).toBe(200);
    // Any may end first.
    await Promise.all([
      stream.text(),
      events.text(),
      expect(listening).rejects.toThrow('the stream ended without an answer'),
    ]);
  });

  test('is found by a client that knows only the address [gateway:WHO1]', async () => {
    const host = world.host({
      person: personWithBrowser([], 'lin'),
      tokens: new TokenStore(join(mkdtempSync(join(tmpdir(), 'bindery-')), 'mcp-auth.json')),
    });
    host.apply([{ id: 'gateway', transport: 'http', url: mcp }]);
    await host.settled();
    expect(host.statusOf('gateway')).toMatchObject({ state: 'ready' });
  });

  test('never reaches a server: not in headers, not in messages, not in its environment [gateway:WHO7]', async () => {
    const token = await authority.tokenFor('ada', mcp, SCOPE);
    await untilSeen();
    const _meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    await requestModern(mcp, 'tools/call', { name: 'web__echo', arguments: {}, _meta }, bearer(token));
    const child = await requestModern(mcp, 'tools/call', { name: 'child__environment', arguments: {} }, bearer(token));
    const heard = JSON.stringify([upstream.seen.map(({ headers, body }) => ({ headers, body })), child.result]);
    const parts = [token, ...token.split('.'), 'the-token', admin];
    expect(JSON.stringify(child.result)).toContain('PATH');
    expect(upstream.of('tools/call').length).toBeGreaterThan(0);
    expect(parts.filter((part) => heard.includes(part))).toEqual([]);
    expect(upstream.seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });
});

describe('a gateway that others can reach', () => {
  test('starts with OAuth, and not without any credential [gateway:WHO8]', async () => {
    const open = await createHome({ version: 1 });
    const guarded = await createHome({
      version: 1,
      gateway: { auth: { oauth: { issuer: authority.issuer, audience: 'https://gateway.example/mcp' } } },
    });
    await expect(startBindery(open, '--host', '0.0.0.0')).rejects.toThrow('CREDENTIAL_REQUIRED');
    const started = await startBindery(guarded, '--host', '0.0.0.0');
    const port = new URL(started.url).port;
    expect((await initialize(`http://127.0.0.1:${port}/mcp`)).status).toBe(401);
    await started.stop();
    await Promise.all([open.remove(), guarded.remove()]);
  });

  test('does not start with settings that are not valid [gateway:WHO8]', async () => {
    const broken = await createHome({ version: 1, gateway: { auth: { oauth: { issuer: 'http://abroad.example' } } } });
    await expect(startBindery(broken)).rejects.toThrow('AUTH_CONFIG_INVALID');
    await broken.remove();
  });
});

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } };
}

async function untilSeen(): Promise<void> {
  await untilKnownTo(`Bearer ${admin}`, bindery, 'web', 'child');
}

async function goodAndBad() {
  const { privateKey } = await generateKeyPair('RS256');
  const header = { alg: 'RS256', kid: 'k1' };
  const { sub: _sub, ...withoutSubject } = claims();
  const { exp: _exp, ...withoutEnd } = claims();
  return {
    otherAudience: await authority.tokenFor('ada', 'https://elsewhere.example/mcp', SCOPE),
    expired: await authority.sign(claims({ exp: Math.floor(Date.now() / 1_000) - 60 })),
    early: await authority.sign(claims({ nbf: inAnHour() })),
    otherIssuer: await authority.sign(claims({ iss: 'https://other.example' })),
    otherKey: await new SignJWT(claims()).setProtectedHeader(header).sign(privateKey),
    unsigned: new UnsecuredJWT(claims()).encode(),
    shared: await new SignJWT(claims())
      .setProtectedHeader({ ...header, alg: 'HS256' })
      .sign(new TextEncoder().encode('k'.repeat(32))),
    endless: await authority.sign(withoutEnd),
    nameless: await authority.sign(withoutSubject),
    idToken: await authority.sign(claims({ nonce: 'n', at_hash: 'h' }), 'JWT'),
    bound: await authority.sign(claims({ cnf: { jkt: 'thumbprint' } })),
  };
}
