import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { World } from '../../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../../test/fixtures/servers/http-server.ts';
import { BinderyError } from '../../../contract/errors.ts';
import { soon, supervise } from '../testing/supervise.ts';
import type { NameResolver } from './named-endpoint.ts';

const world = new World();
afterAll(() => world.close());
const listen = async () => world.keep(await new HttpFixture(legacyHttp()).listen());

/** A server that is known by its name; what the name leads to runs out a moment after it is connected. */
async function open() {
  const fixture = await listen();
  const names = { endpoint: fixture.url, fails: false, trusted: true, asked: 0, waits: Promise.resolve() };
  const resolver: NameResolver = {
    resolve: async () => {
      names.asked += 1;
      await names.waits;
      if (names.fails) throw new BinderyError('IDENTITY_UNRESOLVED', { detail: 'nowhere' });
      return { endpoint: names.endpoint, ttl: 1, identity: 'ai://a' };
    },
    distrust: () => (names.trusted ? undefined : 'unsigned'),
  };
  const supervised = supervise(world, { identity: { name: 'ai://a', keys: ['k'] } }, { names: resolver });
  const connection = await supervised.server.connect();
  return { fixture, names, connection, ...supervised };
}

test('[host:B1] a name is resolved again when its answer expires; the same endpoint keeps its connection', async () => {
  const { server, names, connection, fixture } = await open();
  expect([names.asked, await server.address(new AbortController().signal), names.asked]).toEqual([1, fixture.url, 1]);
  await soon(() => names.asked === 3);
  await sleep(20);
  expect([server.live === connection, server.status]).toMatchObject([true, { state: 'ready', reason: undefined }]);
});

test('[host:B1] a new endpoint is connected, the connection to the old one ends, and that is reported', async () => {
  const { server, names, connection, seen, told, fixture } = await open();
  const next = await listen();
  names.endpoint = next.url;
  told();
  await soon(() => next.of('initialize').length === 1 && server.status.state === 'ready');
  await soon(() => connection.closed);
  expect([seen.moved, server.live === connection, told(), fixture.methods.includes('DELETE')]).toEqual([
    ['http'],
    false,
    ['connecting', 'ready'],
    true,
  ]);
  // Nobody knows which revision is spoken there: it is asked first.
  expect(next.methods[0]).toBe('server/discover');
});

test('[host:B2] a name that does not resolve for a while keeps its endpoint, and the state says so; an answer without a valid key closes the connection', async () => {
  const { server, names, connection } = await open();
  names.fails = true;
  await soon(() => server.status.reason !== undefined);
  expect([server.status, server.live === connection]).toMatchObject([
    { state: 'ready', reason: 'ai://a does not resolve: nowhere (IDENTITY_UNRESOLVED); its last endpoint is in use' },
    true,
  ]);
  const other = await open();
  other.names.trusted = false;
  await soon(() => other.server.live === undefined);
  await soon(() => other.connection.closed);
  expect(other.server.status).toMatchObject({ state: 'error', connected: false });
});

test('[host:B1] an idle or stopped server does not resolve its name', async () => {
  const [rests, stops] = [await open(), await open()];
  await rests.server.rest();
  await stops.server.stop(0, AbortSignal.abort());
  const asked = [rests.names.asked, stops.names.asked];
  await sleep(1_100);
  expect([rests.names.asked, stops.names.asked]).toEqual(asked);
});

test('[host:B1] a server that is no longer wanted does not connect to its new endpoint', async () => {
  const { server, names, seen } = await open();
  const next = await listen();
  names.endpoint = next.url;
  let answer = () => {};
  names.waits = new Promise((resolve) => {
    answer = resolve;
  });
  await soon(() => names.asked === 2);
  await server.rest();
  answer();
  await sleep(30);
  expect([seen.moved, next.seen.length, server.status.reason]).toEqual([[], 0, 'idle']);
});
