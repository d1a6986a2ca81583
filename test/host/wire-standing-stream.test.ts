import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { http, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());
const call = { method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } };
const serve = async (handler: ConstructorParameters<typeof HttpFixture>[0]) =>
  world.keep(await new HttpFixture(handler).listen());

test('[wire:HOSTILE] [wire:STREAM] a server that answers 404 where others have a standing stream keeps its session', async () => {
  let valid = 'session-1';
  const server = await serve(
    legacyHttp((reply) => {
      const session = reply.seen.headers['mcp-session-id'];
      const isLost = session !== undefined && session !== valid;
      if (reply.seen.verb !== 'GET' && !isLost) return false;
      reply.json({}, 404);
      return true;
    }),
  );
  const upstream = await world.connect(http(server.url));
  await until(() => server.methods.includes('GET'));
  await sleep(100);
  const initializes = server.of('initialize').length;
  valid = 'session-2';
  const answer = textOf(await upstream.request(call));
  expect([initializes, answer, server.of('initialize').length]).toEqual([1, '{"a":1}', 2]);
});

test('[wire:SESSION] [wire:STREAM] a standing stream that was open and is unknown now begins the session anew', async () => {
  let streams = 0;
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.verb !== 'GET') return false;
      streams += 1;
      if (reply.seen.headers['mcp-session-id'] === 'session-2') reply.stream();
      else if (streams > 1) reply.json({}, 404);
      else {
        const stream = reply.stream();
        stream.raw('retry: 50\n\n');
        stream.end();
      }
      return true;
    }),
  );
  await world.connect(http(server.url));
  await until(() => streams === 3);
  expect(server.methods).toEqual([
    'server/discover',
    ...['initialize', 'notifications/initialized', 'GET', 'GET'],
    ...['initialize', 'notifications/initialized', 'GET'],
  ]);
});
