import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer, walkThrough } from '../fixtures/authorization-server.ts';
import { World } from '../fixtures/connect.ts';
import { startPersonalServer } from '../fixtures/personal-server.ts';
import { freePort } from '../support/free-port.ts';
import { startTokenAuthority, type TokenAuthority } from '../support/oauth-gateway.ts';
import { type Earlier, openSession, requestModern } from '../support/raw-client.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

type Personal = Awaited<ReturnType<typeof startPersonalServer>>;

const world = new World();
let authority: TokenAuthority;
let accounts: AuthorizationServer;
let mail: Personal;
let wiki: Personal;
let home: BinderyHome;
let bindery: RunningBindery;
let port: number;
let mcp: string;

beforeAll(async () => {
  authority = world.keep(await startTokenAuthority());
  accounts = world.keep(await startAuthorizationServer());
  mail = world.keep(await startPersonalServer(accounts, '2025'));
  wiki = world.keep(await startPersonalServer(accounts, '2026'));
  port = await freePort();
  mcp = `http://127.0.0.1:${port}/mcp`;
  home = await createHome({
    version: 1,
    mcp: {
      servers: {
        mail: { transport: 'http', url: mail.url, credentials: 'per_user' },
        wiki: { transport: 'http', url: wiki.url, credentials: 'per_user' },
      },
    },
    gateway: {
      exposure: 'all',
      profiles: {
        default: { servers: ['mail', 'wiki'] },
        lone: { servers: ['mail'], names: 'bare' },
      },
      auth: { oauth: { issuer: authority.issuer, audience: mcp } },
    },
  });
  bindery = await start();
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
  await world.close();
});

const start = () => startBindery(home, '--port', String(port));
const URLS = { elicitation: { url: {} } };

/** A person, and what their clients send. */
async function person(login: string, profile = '') {
  const url = `${mcp}${profile}`;
  const headers = { authorization: `Bearer ${await authority.tokenFor(login, url, 'bindery:call')}` };
  const call = (name: string, args: object = {}, more: object = {}) =>
    requestModern(url, 'tools/call', { name, arguments: args, ...more }, { headers, capabilities: URLS });
  const names = async () => {
    const { result } = await requestModern(url, 'tools/list', {}, { headers });
    return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  return {
    url,
    headers,
    call,
    names,
    text: async (name: string, args: object = {}) => textOf((await call(name, args)).result),
    waits: (...servers: string[]) =>
      until(`${servers} wait for ${login}`, async () => {
        const { result } = await requestModern(url, 'tools/list', {}, { headers });
        const tools = (result as { tools: { name: string; inputSchema: { properties: never } }[] }).tools;
        const tool = tools.find(({ name }) => name === 'sign_in') as never as
          | { inputSchema: { properties: { server: { enum: string[] } } } }
          | undefined;
        return servers.every((server) => tool?.inputSchema.properties.server.enum.includes(server));
      }),
    has: (...wanted: string[]) =>
      until(`${login} has ${wanted}`, async () => {
        const listed = await names();
        return wanted.every((name) => listed.includes(name));
      }),
    /** Opens an address in the browser and signs in; the page that it ends on. */
    opens: async (address: string) => {
      const welcome = await fetch(address);
      const page = await welcome.text();
      const [cookie = ''] = welcome.headers.getSetCookie().map((text) => text.split(';')[0]);
      const next = (/href="([^"]+)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
      const target = await walkThrough(next, `${mcp}/oauth/callback`, login);
      const elsewhere = await fetch(target);
      const response = await fetch(target, { headers: { cookie } });
      return { welcome: page, target, next, elsewhere: elsewhere.status, cookie, page: await response.text() };
    },
  };
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
}

test('a 2025 client is sent to the address, and goes on when its person has signed in [gateway:WHO11]', async () => {
  const ada = await person('ada');
  await ada.waits('mail', 'wiki');
  const session = await openSession(mcp, { headers: ada.headers, capabilities: URLS });
  const said: Earlier[] = [];
  const answer = await session.request(
    'tools/call',
    { name: 'sign_in', arguments: { server: 'mail' } },
    {
      onEarlier: (message) => {
        said.push(message);
        if (message.method !== 'elicitation/create') return;
        void session.send({ id: message.id, result: { action: 'accept' } });
        void ada.opens(String(message.params?.url));
      },
    },
  );
  expect(textOf(answer.result)).toBe('Signed in to mail. Its tools are listed now.');
  expect(said).toEqual([
    expect.objectContaining({
      method: 'elicitation/create',
      params: {
        mode: 'url',
        elicitationId: expect.any(String),
        message: expect.stringContaining('mail'),
        url: expect.stringMatching(`^${mcp}/oauth/sign-in[?]ticket=`),
      },
    }),
    expect.objectContaining({
      method: 'notifications/elicitation/complete',
      params: { elicitationId: said[0]?.params?.elicitationId },
    }),
  ]);
  await ada.has('mail__whoami', 'mail__of_ada');
  expect(await ada.names()).toEqual(['mail__of_ada', 'mail__whoami', 'sign_in']);
});

test('a 2026 client is asked by a result, and its retry is the same call [gateway:WHO11]', async () => {
  const grace = await person('grace');
  await grace.waits('mail');
  const first = await grace.call('sign_in', { server: 'mail' });
  const asked = first.result as {
    resultType: string;
    inputRequests: { bindery_sign_in: { method: string; params: { mode: string; url: string } } };
  };
  expect([asked.resultType, asked.inputRequests.bindery_sign_in]).toEqual([
    'input_required',
    { method: 'elicitation/create', params: expect.objectContaining({ mode: 'url' }) },
  ]);
  await grace.opens(asked.inputRequests.bindery_sign_in.params.url);
  const inputResponses = { bindery_sign_in: { action: 'accept' } };
  const second = await grace.call('sign_in', { server: 'mail' }, { inputResponses });
  expect(textOf(second.result)).toContain('Signed in to mail');
  await grace.has('mail__of_grace');
});

test('a client that cannot open an address gets it in words [gateway:WHO11]', async () => {
  const grace = await person('grace');
  const { result } = await requestModern(
    mcp,
    'tools/call',
    { name: 'sign_in', arguments: { server: 'wiki' } },
    { headers: grace.headers },
  );
  const [, address = ''] = /open (\S+) and sign in/.exec(textOf(result)) ?? [];
  expect([textOf(result).split(':')[0], (result as { isError: boolean }).isError]).toEqual(['AUTH_REQUIRED', true]);
  expect((await grace.opens(address)).page).toContain('Signed in');
  await grace.has('wiki__of_grace');
});

test('an address says for whom it is, is good for one sign-in in one browser, and nobody can make one up [gateway:WHO11]', async () => {
  const lin = await person('lin');
  await lin.waits('mail');
  const { result } = await lin.call('sign_in', { server: 'mail' });
  const { url } = (result as { inputRequests: { bindery_sign_in: { params: { url: string } } } }).inputRequests
    .bindery_sign_in.params;
  const { welcome, next, target, cookie, elsewhere } = await lin.opens(url);
  expect([new URL(next).searchParams.get('code_challenge_method'), elsewhere]).toEqual(['S256', 400]);
  expect(welcome).toContain(`for ${authority.issuer} lin, and for nobody else`);
  const again = await fetch(target, { headers: { cookie } });
  const forged = await fetch(`${mcp}/oauth/callback?state=${'x'.repeat(32)}&code=1`, { headers: { cookie } });
  expect([again.status, forged.status, (await fetch(url)).status]).toEqual([400, 400, 404]);
  await lin.has('mail__of_lin');
});

test('each user sees and reaches their own, at once and on any connection [gateway:WHO10] [gateway:WHO12] [gateway:R13] [gateway:R2]', async () => {
  const [ada, grace] = [await person('ada'), await person('grace')];
  const calls = Array.from({ length: 20 }, (_, index) => [ada, grace][index % 2] as typeof ada);
  const answers = await Promise.all(calls.map((one) => one.text('mail__whoami')));
  expect(answers).toEqual(calls.map((one) => (one === ada ? 'secret of ada' : 'secret of grace')));
  expect([await ada.names(), (await grace.names()).filter((name) => name.includes('_of_'))]).toEqual([
    ['mail__of_ada', 'mail__whoami', 'sign_in'],
    ['mail__of_grace', 'wiki__of_grace'],
  ]);
  const foreign = await ada.call('mail__of_grace');
  expect(foreign.error?.message).toBe('Unknown tool: mail__of_grace');
  expect([...mail.sessions.values()].every((users) => users.size === 1)).toBe(true);
});

test('the search names the servers that wait, and finds nobody else’s tools [gateway:R13]', async () => {
  const ada = await person('ada');
  const found = JSON.parse(await ada.text('find_tools', { query: 'of' })) as {
    tools: { name: string }[];
    missing: string[];
  };
  expect([found.missing, found.tools.filter(({ name }) => /grace|lin/.test(name))]).toEqual([
    ['wiki: AUTH_REQUIRED'],
    [],
  ]);
});

test('what users got is encrypted, and what they see has an owner [gateway:WHO10] [gateway:R13]', async () => {
  const seen = [...mail.fixture.seen, ...wiki.fixture.seen].flatMap(({ headers }) => headers.authorization ?? []);
  const tokens = [...new Set(seen)].map((header) => header.replace('Bearer ', ''));
  expect(tokens.length).toBeGreaterThan(2);
  const files = readdirSync(home.dataDir).map((name) => readFileSync(join(home.dataDir, name)).toString('latin1'));
  expect(tokens.filter((token) => files.some((text) => text.includes(token)))).toEqual([]);
  expect(tokens.filter((token) => bindery.stderr().includes(token))).toEqual([]);
  expect((statSync(join(home.dataDir, 'credentials.key')).mode & 0o777).toString(8)).toBe('600');
  const database = new DatabaseSync(join(home.dataDir, 'registry.db'), { readOnly: true });
  const rows = database.prepare("SELECT owner, original_name FROM tool_registry WHERE original_name LIKE 'of_%'").all();
  database.close();
  expect(rows.length).toBeGreaterThan(2);
  for (const { owner, original_name } of rows)
    expect(String(owner)).toMatch(new RegExp(`^user:${String(original_name).slice(3)}#`));
  const admin = readFileSync(join(home.dataDir, 'admin.token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${admin}` };
  const tools = await (await fetch(`http://127.0.0.1:${port}/v1/tools`, { headers })).json();
  const servers = await (await fetch(`http://127.0.0.1:${port}/v1/servers`, { headers })).json();
  expect(JSON.stringify(tools)).not.toMatch(/of_ada|of_grace/);
  expect(servers).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ id: 'mail', state: 'ready', reason: 'per user' })]),
  });
});

test('a profile of one server asks within the first call [gateway:WHO11] [gateway:R15]', async () => {
  const mary = await person('mary', '/lone');
  const session = await openSession(mary.url, { headers: mary.headers, capabilities: URLS });
  const ask = () =>
    session.request(
      'tools/call',
      { name: 'whoami', arguments: {} },
      {
        onEarlier: (message) => {
          if (message.method !== 'elicitation/create') return;
          void session.send({ id: message.id, result: { action: 'accept' } });
          void mary.opens(String(message.params?.url));
        },
      },
    );
  expect(textOf((await ask()).result)).toBe('secret of mary');
});

test('a restart asks nobody again, and a token that was revoked is asked for anew [gateway:WHO10] [gateway:WHO11]', async () => {
  await bindery.stop();
  bindery = await start();
  const ada = await person('ada');
  const before = mail.fixture.seen.length;
  expect(await ada.names()).toContain('mail__of_ada');
  expect(await ada.text('mail__whoami')).toBe('secret of ada');
  const used = mail.fixture.seen.slice(before).map(({ headers }) => headers.authorization ?? '');
  for (const token of used) mail.revoked.add(token);
  // The renewal that is tried first must not help either.
  const find = accounts.provider.RefreshToken.find;
  accounts.provider.RefreshToken.find = async () => undefined;
  const { result } = await ada.call('mail__whoami');
  accounts.provider.RefreshToken.find = find;
  const { url } = (result as { inputRequests: { bindery_sign_in: { params: { url: string } } } }).inputRequests
    .bindery_sign_in.params;
  await ada.opens(url);
  const inputResponses = { bindery_sign_in: { action: 'accept' } };
  const again = await ada.call('mail__whoami', {}, { inputResponses });
  expect(textOf(again.result)).toBe('secret of ada');
  expect(mail.fixture.of('tools/call').filter(({ body }) => body.includes('bindery_sign_in'))).toEqual([]);
});
