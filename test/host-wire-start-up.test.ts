import { afterAll, expect, test } from 'vitest';
import { http, until, World } from './fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from './fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

/** What becomes of a server that has half a second to start, and of the host that it is in. */
async function outcome(transport: 'http' | 'sse', handler: (reply: Reply) => void) {
  const server = world.keep(await new HttpFixture(handler).listen());
  const host = world.host();
  host.apply([http(server.url, { transport, startupTimeoutMs: 500 })]);
  await until(() => host.statusOf('http')?.state === 'error');
  const error = host.statusOf('http')?.lastError;
  const reconnecting = host.reconnect('http').catch(() => {});
  await host.close();
  await reconnecting;
  return error;
}

test('[wire:HOSTILE] [wire:SSE] a server whose event stream never begins, or never says where to post, fails at its start-up time', async () => {
  const late = 'the server did not start within 500 ms';
  expect([await outcome('sse', () => {}), await outcome('sse', (reply) => void reply.stream())]).toEqual([late, late]);
});

test('[wire:HOSTILE] [wire:SSE] a server that refuses messages and whose event stream never begins fails with its refusal', async () => {
  const handler = (reply: Reply) => {
    if (reply.seen.verb === 'POST') reply.json({ no: 'thanks' }, 400);
  };
  expect(await outcome('http', handler)).toBe('the server answered HTTP 400: {"no":"thanks"}');
});

test('[wire:HOSTILE] a server that leaves the end of the handshake unanswered fails at its start-up time', async () => {
  const handler = legacyHttp(({ seen }) => seen.message?.method === 'notifications/initialized');
  expect(await outcome('http', handler)).toBe('the server did not start within 500 ms');
});
