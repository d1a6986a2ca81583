import { afterAll, expect, test } from 'vitest';
import { type CatalogueChange, EMPTY_CATALOGUE } from '../../src/host/connection/catalogue/catalogue.ts';
import type { ServerStatus } from '../../src/host/connection/supervision/server-set.ts';
import { http, stdio, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, modernHttp } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const call = (name: string, args: object = {}) => ({ method: 'tools/call', params: { name, arguments: args } });
const serve = async (handler: ConstructorParameters<typeof HttpFixture>[0], port = 0) =>
  world.keep(await new HttpFixture(handler).listen(port));

test('[wire:STATES] servers start in parallel, nobody waits, and every one reaches a state with a reason', async () => {
  const good = await serve(modernHttp());
  const locked = await serve((reply) => reply.json({}, 401));
  const host = world.host();
  host.apply([
    stdio('legacy'),
    http(good.url, { id: 'good' }),
    http('http://127.0.0.1:1/mcp', { id: 'nobody' }),
    http(locked.url, { id: 'locked' }),
    stdio('dies-at-start', { id: 'dies' }),
    stdio('unknown'),
  ]);
  expect(host.status().map(({ state }) => state)).toEqual(Array(6).fill('connecting'));
  await host.settled();
  expect(
    host
      .status()
      .map(({ id, state, connected, era, tools, lastError }) => ({ id, state, connected, era, tools, lastError })),
  ).toEqual([
    {
      id: 'dies',
      state: 'error',
      connected: false,
      era: undefined,
      tools: 0,
      lastError: 'the server ended with exit code 7; it said: cannot open the database, password=***',
    },
    { id: 'good', state: 'ready', connected: true, era: '2026', tools: 1, lastError: undefined },
    { id: 'legacy', state: 'ready', connected: true, era: '2025', tools: 14, lastError: undefined },
    {
      id: 'locked',
      state: 'error',
      connected: false,
      era: undefined,
      tools: 0,
      lastError: 'the server requires authorization (HTTP 401)',
    },
    {
      id: 'nobody',
      state: 'error',
      connected: false,
      era: undefined,
      tools: 0,
      lastError: 'cannot reach http://127.0.0.1:1 (ECONNREFUSED)',
    },
    {
      id: 'unknown',
      state: 'error',
      connected: false,
      era: undefined,
      tools: 0,
      lastError: 'the server speaks "1999-01-01", which this client does not',
    },
  ]);
  expect(host.statusOf('nobody')?.reason).toMatch(/^cannot reach .* \(trying again in \d s\)$/);
});

test('[wire:RESTART] a crashed server leaves ready and comes back by itself, and the others go on', async () => {
  const host = world.host();
  const states: string[] = [];
  host.on('status', (status: ServerStatus) => status.id === 'crashing' && states.push(status.state));
  host.apply([stdio('legacy', { id: 'crashing' }), stdio('legacy', { id: 'steady' })]);
  await host.settled();
  const pid = textOf(await host.request('crashing', call('pid')));
  await expect(host.request('crashing', call('exit'))).rejects.toMatchObject({ kind: 'lost' });
  expect(host.statusOf('crashing')).toMatchObject({ connected: false, tools: 0 });
  expect(textOf(await host.request('steady', call('echo', { message: 'fine' })))).toBe('fine');
  await until(() => host.statusOf('crashing')?.state === 'ready');
  expect(textOf(await host.request('crashing', call('pid')))).not.toBe(pid);
  expect(states).toEqual(['connecting', 'ready', 'error', 'connecting', 'ready']);
});

test('[wire:RESTART] the next call connects at once, also during backoff', async () => {
  const handler = legacyHttp();
  const first = await new HttpFixture(handler).listen();
  const { url, origin } = first;
  await first.close();
  const host = world.host();
  host.apply([http(url)]);
  await host.settled();
  expect(host.statusOf('http')?.state).toBe('error');
  await serve(handler, Number(new URL(origin).port));
  expect(textOf(await host.request('http', call('echo', { a: 2 })))).toBe('{"a":2}');
  expect(host.statusOf('http')?.state).toBe('ready');
});

test('[wire:RESTART] an HTTP server that goes away is noticed by the first request, and taken back', async () => {
  const handler = legacyHttp();
  const first = await new HttpFixture(handler).listen();
  const { url, origin } = first;
  const host = world.host();
  host.apply([http(url)]);
  await host.settled();
  await first.close();
  await expect(host.request('http', call('echo'))).rejects.toThrow(/^(cannot reach|the connection to) http/);
  await until(() => host.statusOf('http')?.state === 'error');
  await serve(handler, Number(new URL(origin).port));
  await until(() => host.statusOf('http')?.state === 'ready');
});

test('[wire:PROBE] [gateway:H2] a connected server that no longer answers is connected anew; a busy one is left alone', async () => {
  let deaf = false;
  const server = await serve(
    legacyHttp(({ seen }) => deaf && seen.headers['mcp-session-id'] === 'session-1' && seen.message?.method === 'ping'),
  );
  const host = world.host({ probe: { intervalMs: 50, timeoutMs: 2000 } });
  host.apply([http(server.url)]);
  await host.settled();
  await until(() => server.of('ping').length >= 2);
  expect(server.of('initialize').length).toBe(1);
  deaf = true;
  await until(() => server.of('initialize').length === 2 && host.statusOf('http')?.state === 'ready');
  expect(host.statusOf('http')?.lastError).toBe('the server did not answer ping for 2000 ms, and reported no progress');
  const busy = world.host({ probe: { intervalMs: 20, timeoutMs: 2000 } });
  busy.apply([stdio('legacy')]);
  await busy.settled();
  expect(textOf(await busy.request('legacy', call('slow', { steps: 4, everyMs: 50 })))).toBe('slow is done');
});

test.each(['legacy', 'modern'])(
  '[wire:CHANGED] five list_changed of a %s server are one new list and one difference',
  async (behaviour) => {
    const host = world.host();
    const changes: CatalogueChange['tools'][] = [];
    host.apply([stdio(behaviour)]);
    await host.settled();
    host.on('catalogue', (_id: string, change: CatalogueChange) => changes.push(change.tools));
    await host.request(behaviour, call('change'));
    await until(() => changes.length === 1);
    await host.request(behaviour, call('change'));
    await until(() => changes.length === 2);
    expect(changes).toEqual([
      { added: ['extra'], removed: [], changed: ['going'] },
      { added: [], removed: ['going'], changed: [] },
    ]);
  },
);

test('[wire:PAGES] the catalogue is paged to its end', async () => {
  const host = world.host();
  host.apply([stdio('paged')]);
  await host.settled();
  expect(host.catalogueOf('paged').tools.map(({ name }) => name)).toEqual(
    Array.from({ length: 10 }, (_, page) => `tool-${page}`),
  );
});

test('[wire:TTL] hints of a 2026 list are kept with the catalogue', async () => {
  const server = await serve(modernHttp());
  const host = world.host({ now: () => 1_000 });
  host.apply([http(server.url)]);
  await host.settled();
  expect(host.catalogueOf('http')).toMatchObject({ scope: 'public', freshUntil: 61_000 });
});

test('[wire:APPLY] only what changed is touched', async () => {
  const host = world.host();
  host.apply([stdio('legacy', { id: 'a' }), stdio('legacy', { id: 'b' }), stdio('legacy', { id: 'c' })]);
  await host.settled();
  const pids = async (...ids: string[]) =>
    Promise.all(ids.map(async (id) => textOf(await host.request(id, call('pid')))));
  const [a, b] = await pids('a', 'b');
  host.apply([
    stdio('legacy', { id: 'a' }),
    stdio('legacy', { id: 'b', env: { NEW: '1' } }),
    stdio('legacy', { id: 'd' }),
  ]);
  await host.settled();
  const [sameA, otherB] = await pids('a', 'b');
  expect([host.status().map(({ id }) => id), sameA === a, otherB === b]).toEqual([['a', 'b', 'd'], true, false]);
});

test('[wire:APPLY] a manual reconnect gives a new process', async () => {
  const host = world.host();
  host.apply([stdio('legacy')]);
  await host.settled();
  const before = textOf(await host.request('legacy', call('pid')));
  await host.reconnect('legacy');
  expect(textOf(await host.request('legacy', call('pid')))).not.toBe(before);
});

test('[wire:APPLY] a manual reconnect does not wait for an attempt that hangs', async () => {
  let hang = true;
  const server = await serve(legacyHttp(({ seen }) => hang && seen.message?.method === 'initialize'));
  const host = world.host();
  host.apply([http(server.url)]);
  await until(() => server.of('initialize').length === 1);
  hang = false;
  await host.reconnect('http');
  expect(host.statusOf('http')).toMatchObject({ state: 'ready', lastError: undefined });
});

test('[wire:CLOSE] closing a host closes every connection and leaves no process', async () => {
  const server = await serve(legacyHttp());
  const host = world.host();
  host.apply([stdio('legacy'), http(server.url)]);
  await host.settled();
  const pid = Number(textOf(await host.request('legacy', call('pid'))));
  await host.close();
  expect(() => process.kill(pid, 0)).toThrow();
  expect(server.seen.at(-1)?.verb).toBe('DELETE');
});

test('[wire:CLOSE] waiting for servers ends also when they are removed', async () => {
  const host = world.host();
  host.apply([stdio('never-answers')]);
  const settled = host.settled();
  host.apply([]);
  await settled;
});

test('[wire:CLOSE] a host that is closed while it connects leaves nothing behind', async () => {
  const host = world.host();
  host.apply([stdio('never-answers'), stdio('silent-probe')]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await host.close();
  expect(host.status()).toEqual([]);
});

test('[wire:IDLE] [gateway:A6] [gateway:A22] a resting server shows what it offered, and is connected by the first request', async () => {
  const server = await serve(legacyHttp());
  const host = world.host();
  const remembered = {
    ...EMPTY_CATALOGUE,
    tools: [
      { name: 'echo', inputSchema: {} },
      { name: 'gone', inputSchema: {} },
    ],
  };
  host.apply([http(server.url)], new Map([['http', remembered]]));
  expect(host.statusOf('http')).toMatchObject({ state: 'ready', reason: 'idle', connected: false, tools: 2 });
  const change = new Promise((resolve) => host.once('catalogue', (_id, change) => resolve(change.tools.removed)));
  await host.request('http', call('echo'));
  expect([host.statusOf('http'), await change]).toMatchObject([
    { state: 'ready', reason: undefined, connected: true, tools: 1 },
    ['gone'],
  ]);
});

test('[wire:IDLE] a server without requests for a while is stopped, and comes back with the next one', async () => {
  const host = world.host();
  host.apply([stdio('legacy', { idleStopMs: 1000 })]);
  await host.settled();
  const pid = textOf(await host.request('legacy', call('pid')));
  await host.request('legacy', call('slow', { steps: 8, everyMs: 200 }));
  expect(textOf(await host.request('legacy', call('pid')))).toBe(pid);
  await until(() => host.statusOf('legacy')?.connected === false);
  expect(host.statusOf('legacy')).toMatchObject({ state: 'ready', reason: 'idle', tools: 14 });
  expect(textOf(await host.request('legacy', call('pid')))).not.toBe(pid);
});

test('[wire:SESSIONS] a session of its own declares what it is told to, and does not touch the shared one', async () => {
  const server = await serve(legacyHttp());
  const host = world.host();
  host.apply([http(server.url)]);
  await host.settled();
  const capabilities = { elicitation: { form: {} }, experimental: { x: {} } };
  const session = await host.openSession('http', {
    info: { name: 'other', version: '2' },
    callbacks: {},
    capabilities,
  });
  await session.request(call('echo'));
  await host.request('http', call('echo'));
  expect(server.of('tools/call').map(({ headers }) => headers['mcp-session-id'])).toEqual(['session-2', 'session-1']);
  const declared = server.of('initialize').map(({ message }) => message?.params as Record<string, unknown> | undefined);
  expect(declared.map((params) => params?.capabilities)).toEqual([{}, capabilities]);
  expect(server.of('server/discover').length).toBe(1);
  await session.close();
  expect(host.statusOf('http')?.connected).toBe(true);
});

test('a caller that no longer wants the connection does not wait for it', async () => {
  const host = world.host();
  host.apply([stdio('never-answers')]);
  const signal = AbortSignal.timeout(50);
  await expect(host.request('never-answers', call('echo'), { signal })).rejects.toMatchObject({ kind: 'cancelled' });
  await expect(host.request('nobody', call('echo'))).rejects.toThrow('there is no server nobody');
});
