import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { World } from '../../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../../test/fixtures/servers/http-server.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { EMPTY_CATALOGUE } from '../catalogue/catalogue.ts';
import { soon, supervise } from '../testing/supervise.ts';
import { ReportedByPeer } from './health-watch.ts';

const world = new World();
afterAll(() => world.close());

/** A server whose health the test decides. */
async function open(resting = false) {
  const fixture = world.keep(await new HttpFixture(legacyHttp()).listen());
  const health = { error: undefined as UpstreamError | undefined, looks: 0 };
  const supervised = supervise(
    world,
    { url: fixture.url },
    {
      healthOf: () => async () => {
        health.looks += 1;
        if (health.error) throw health.error;
        return true;
      },
    },
    resting ? { ...EMPTY_CATALOGUE, tools: [{ name: 'echo', inputSchema: {} }] } : undefined,
  );
  const look = async () => {
    const before = health.looks;
    supervised.server.look();
    await soon(() => health.looks > before);
    await sleep(10);
  };
  return { fixture, health, look, ...supervised };
}

test('[wire:HEALTH] a server that fails its check is in error until a check succeeds, and reconnects only once', async () => {
  const { fixture, health, look, server, told, clock } = await open();
  await server.connect();
  told();
  health.error = new UpstreamError('http', 'sick hunter2');
  clock.now += 5;
  await look();
  await soon(() => fixture.of('initialize').length === 2 && server.live !== undefined);
  await sleep(50);
  expect(server.status).toMatchObject({
    state: 'error',
    reason: 'sick ***',
    lastError: 'sick ***',
    connected: true,
    tools: 1,
    lastProbedAt: clock.now,
  });
  await look();
  expect([fixture.of('initialize').length, 'isReportedByPeer' in server.status]).toEqual([2, false]);
  health.error = undefined;
  await look();
  expect(server.status).toMatchObject({ state: 'ready', reason: undefined, lastError: 'sick ***' });
  const statuses = told();
  expect(statuses.filter((status, at) => status !== statuses[at - 1])).toEqual([
    'error: sick ***',
    'connecting: sick *** (reconnecting)',
    'error: sick ***',
    'ready',
  ]);
});

test('[wire:HEALTH] an idle server that fails its check is in error without tools, and is not connected', async () => {
  const { fixture, health, look, server, told } = await open(true);
  health.error = new UpstreamError('http', 'sick');
  await look();
  await look();
  expect(server.status).toMatchObject({ state: 'error', reason: 'sick', connected: false, tools: 0 });
  health.error = undefined;
  await look();
  expect(told()).toEqual(['error: sick', 'ready: idle']);
  expect([server.status.state, server.status.reason, server.status.tools, fixture.seen.length]).toEqual([
    'ready',
    'idle',
    1,
    0,
  ]);
});

test('[wire:HEALTH] an error that other nodes reported is marked as hearsay, and does not count as a probe', async () => {
  const { health, look, server } = await open(true);
  health.error = new ReportedByPeer('sick at another node');
  await look();
  expect(server.status).toMatchObject({ state: 'error', isReportedByPeer: true, lastProbedAt: undefined });
  health.error = new UpstreamError('http', 'sick here');
  await look();
  expect(['isReportedByPeer' in server.status, server.status.reason, server.status.lastProbedAt !== undefined]).toEqual(
    [false, 'sick here', true],
  );
  health.error = new ReportedByPeer('sick at another node');
  await look();
  health.error = undefined;
  await look();
  expect([server.status.state, 'isReportedByPeer' in server.status]).toEqual(['ready', false]);
  await server.stop(0, AbortSignal.abort());
  server.look();
  await sleep(30);
  const { looks } = health;
  server.look();
  await sleep(30);
  expect(health.looks).toBe(looks);
});

test('[wire:HEALTH] a server on which a request runs is not disconnected at its first failed check', async () => {
  const { fixture, health, look, server } = await open();
  const connection = await server.connect();
  const { handler } = fixture;
  fixture.handler = (reply) => {
    if (reply.seen.message?.method !== 'tools/call') handler(reply);
  };
  void connection.request({ method: 'tools/call', params: { name: 'echo' } }).catch(() => {});
  await soon(() => fixture.of('tools/call').length === 1);
  health.error = new UpstreamError('http', 'sick');
  await look();
  expect([server.live === connection, server.status.state, fixture.of('initialize').length]).toEqual([
    true,
    'error',
    1,
  ]);
});

test('[wire:HEALTH] a connection that does not answer is closed, with backoff if it is not the first time', async () => {
  const { fixture, server, told, look, seen } = await open();
  await server.connect();
  told();
  const { handler } = fixture;
  fixture.handler = (reply) => {
    if (reply.seen.message?.method === 'ping') reply.json({}, 500);
    else handler(reply);
  };
  await look();
  await soon(() => seen.statuses.some(({ reason }) => reason?.endsWith('(trying again in 1 s)')));
  const statuses = told();
  const [soonAgain, later] = ['(reconnecting)', '(trying again in 1 s)'].map((end) =>
    statuses.findIndex((status) => status.endsWith(end)),
  ) as [number, number];
  expect([soonAgain >= 0, soonAgain < later, fixture.of('initialize').length]).toEqual([true, true, 2]);
});

test('[wire:HEALTH] a connection that lost its sign-in waits for a person', async () => {
  const { fixture, server, look, told } = await open();
  const connection = await server.connect();
  const { handler } = fixture;
  fixture.handler = (reply) => {
    if (reply.seen.message?.method === 'ping') reply.json({}, 401);
    else handler(reply);
  };
  told();
  await look();
  await soon(() => connection.closed);
  expect([told().length, server.status.lastProbedAt !== undefined]).toEqual([1, true]);
});

test('[wire:HEALTH] a failed ping of an earlier connection does not affect the current one', async () => {
  const { fixture, server, told } = await open();
  await server.connect();
  const { handler } = fixture;
  fixture.handler = (reply) => {
    if (reply.seen.message?.method !== 'ping') handler(reply);
  };
  server.look();
  await soon(() => fixture.of('ping').length === 1);
  await server.reconnect();
  told();
  await sleep(30);
  expect([told(), server.status.state]).toEqual([[], 'ready']);
});
