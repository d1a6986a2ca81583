import { afterAll, expect, test } from 'vitest';
import { EMPTY_CATALOGUE } from '../../src/host/connection/catalogue/catalogue.ts';
import { http, stdio, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, modernHttp } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const resting = new Map([['http', { ...EMPTY_CATALOGUE, tools: [{ name: 'echo', inputSchema: {} }] }]]);

/** A server with a health check beside its endpoint. */
async function serve() {
  const health = { status: 200 };
  const server = world.keep(
    await new HttpFixture(
      legacyHttp(({ seen, json }) => {
        if (seen.path !== '/health') return false;
        json({}, health.status);
        return true;
      }),
    ).listen(),
  );
  const checks = () => server.seen.filter(({ path }) => path === '/health');
  return { health, server, checks };
}

test('[wire:HEALTH] [gateway:A5] [gateway:A6] [gateway:H1] the health check of a server that rests is looked at, and never connects it', async () => {
  const { server, checks, health } = await serve();
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 2000 } });
  host.apply([http(server.url, { healthCheck: '/health', headers: { 'x-key': 'k' } })], resting);
  await until(() => checks().length >= 2 && host.statusOf('http')?.lastProbedAt !== undefined);
  expect([host.statusOf('http'), checks()[0]?.headers['x-key']]).toMatchObject([
    { state: 'ready', reason: 'idle', connected: false },
    'k',
  ]);
  health.status = 503;
  await until(() => host.statusOf('http')?.state === 'error');
  expect(host.statusOf('http')).toMatchObject({
    ...{ reason: 'the health check answered HTTP 503', lastError: 'the health check answered HTTP 503', tools: 0 },
  });
  health.status = 200;
  await until(() => host.statusOf('http')?.state === 'ready');
  expect([host.statusOf('http')?.reason, server.of('initialize').length]).toEqual(['idle', 0]);
});

test('[wire:HEALTH] [gateway:H1] [gateway:H2] a connected server is pinged and its health check looked at; one that fails it is connected anew', async () => {
  const { server, checks, health } = await serve();
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 2000 } });
  host.apply([http(server.url, { healthCheck: 'health' })]);
  await host.settled();
  await until(() => checks().length >= 2 && server.of('ping').length >= 2);
  expect(server.of('initialize').length).toBe(1);
  health.status = 302;
  await until(() => server.of('initialize').length >= 2);
  expect(host.statusOf('http')?.lastError).toBe('the health check answered HTTP 302');
});

/** Waits for so many more looks at the health check. */
async function looks(checks: () => readonly unknown[], more: number): Promise<void> {
  const before = checks().length;
  await until(() => checks().length >= before + more);
}

test('[wire:HEALTH] [gateway:H2] [gateway:H3] seven failed checks leave a connected server in error with the reason; its calls go on, and a good check brings it back', async () => {
  const { server, checks, health } = await serve();
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 2000 } });
  const seen: (string | undefined)[] = [];
  host.on('status', ({ state, reason }) => seen.push(`${state} ${reason}`));
  host.apply([http(server.url, { healthCheck: '/health' })]);
  await host.settled();
  await until(() => host.statusOf('http')?.lastProbedAt !== undefined);
  health.status = 503;
  await looks(checks, 3);
  const begun = seen.length;
  await looks(checks, 7);
  const ill = host.statusOf('http');
  const answer = await host.request('http', { method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } });
  expect([ill, textOf(answer), seen.slice(begun), server.of('initialize').length]).toMatchObject([
    { state: 'error', reason: 'the health check answered HTTP 503', connected: true, tools: 1 },
    '{"a":1}',
    seen.slice(begun).map(() => 'error the health check answered HTTP 503'),
    2,
  ]);
  health.status = 200;
  await until(() => host.statusOf('http')?.state === 'ready');
  expect(host.statusOf('http')).toMatchObject({ reason: undefined, connected: true });
});

test('[wire:HEALTH] a server that is ill from the start is seen to be so soon, not after a whole interval', async () => {
  const { server, health } = await serve();
  health.status = 500;
  const host = world.host({ probe: { intervalMs: 2_000_000, timeoutMs: 2000 }, random: () => 0 });
  host.apply([http(server.url, { healthCheck: '/health' })]);
  await until(() => host.statusOf('http')?.reason === 'the health check answered HTTP 500');
  expect(host.statusOf('http')?.state).toBe('error');
});

test('[wire:HEALTH] [gateway:H2] a server that connects and answers no ping is not ready before it answers one', async () => {
  let isSilent = true;
  const server = world.keep(
    await new HttpFixture(legacyHttp(({ seen }) => isSilent && seen.message?.method === 'ping')).listen(),
  );
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 50 } });
  const states: string[] = [];
  host.apply([http(server.url)]);
  await host.settled();
  await until(() => server.of('initialize').length >= 2 && host.statusOf('http')?.state === 'error');
  host.on('status', ({ state }) => states.push(state));
  await until(() => server.of('initialize').length >= 3);
  expect([states.includes('ready'), host.statusOf('http')?.reason]).toEqual([
    false,
    expect.stringContaining('the server did not answer ping'),
  ]);
  isSilent = false;
  await until(() => host.statusOf('http')?.state === 'ready');
});

test('[wire:HEALTH] [gateway:H2] a process that hangs is not ready, and another one takes its place', async () => {
  const host = world.host({ probe: { intervalMs: 50, timeoutMs: 500 } });
  host.apply([stdio('legacy')]);
  await host.settled();
  const pid = async () =>
    Number(textOf(await host.request('legacy', { method: 'tools/call', params: { name: 'pid', arguments: {} } })));
  const first = await pid();
  await until(() => host.statusOf('legacy')?.lastProbedAt !== undefined);
  const seen: string[] = [];
  host.on('status', ({ state, reason }) => seen.push(`${state} ${reason ?? ''}`));
  process.kill(first, 'SIGSTOP');
  await until(() => host.statusOf('legacy')?.state !== 'ready');
  await until(() => host.statusOf('legacy')?.state === 'ready');
  expect([seen[0], (await pid()) !== first]).toEqual([
    expect.stringMatching(/^error the server did not answer ping/),
    true,
  ]);
});

test('[wire:HEALTH] a running call is cut neither by a health check that fails nor by a ping that waits behind it', async () => {
  const { server, checks, health } = await serve();
  const [call] = [Promise.withResolvers<void>()];
  const { handler } = server;
  server.handler = (reply) => {
    const { method } = reply.seen.message ?? {};
    if (method === 'tools/call') void call.promise.then(() => handler(reply));
    else if (method !== 'ping') handler(reply);
  };
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 30 } });
  host.apply([http(server.url, { healthCheck: '/health' })], resting);
  const answer = host.request('http', { method: 'tools/call', params: { name: 'echo', arguments: { b: 2 } } });
  await until(() => server.of('tools/call').length === 1);
  await looks(checks, 3);
  health.status = 503;
  await until(() => host.statusOf('http')?.state === 'error');
  await looks(checks, 3);
  call.resolve();
  expect([textOf(await answer), server.of('initialize').length]).toEqual(['{"b":2}', 1]);
});

test('[wire:HEALTH] [gateway:A5] [gateway:H1] nobody asks a server that rests and has no health check', async () => {
  const { server } = await serve();
  const host = world.host({ probe: { intervalMs: 5, timeoutMs: 2000 } });
  host.apply([http(server.url)], resting);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([server.seen, host.statusOf('http')?.lastProbedAt]).toEqual([[], undefined]);
});

test('[wire:HEALTH] a health check that nobody serves, or that hangs, is a reason and holds up nothing', async () => {
  const { server } = await serve();
  const { url } = server;
  server.handler = () => {};
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 50 } });
  host.apply([http(url, { healthCheck: '/health' })], resting);
  await until(() => host.statusOf('http')?.reason === 'the health check failed (no answer in time)');
  await server.close();
  await until(() => host.statusOf('http')?.state === 'error');
});

test('[wire:TTL] a list whose time is over is read again when its server is next asked how it is, unless it tells of changes', async () => {
  let version = 1;
  const server = world.keep(
    await new HttpFixture(
      modernHttp(({ seen, result }) => {
        if (seen.message?.method !== 'tools/list') return false;
        const tools = [{ name: `tool-${version}`, inputSchema: { type: 'object' } }];
        result({ resultType: 'complete', ttlMs: 30, cacheScope: 'public', tools });
        return true;
      }),
    ).listen(),
  );
  const host = world.host({ probe: { intervalMs: 20, timeoutMs: 2000 } });
  host.apply([http(server.url)]);
  await host.settled();
  version = 2;
  await until(() => host.catalogueOf('http').tools.some(({ name }) => name === 'tool-2'));
  expect(server.of('server/discover').length).toBeGreaterThan(1);
});
