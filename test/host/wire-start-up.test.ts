import { afterAll, expect, test } from 'vitest';
import { toServerSpec } from '../../src/host/config/to-server-spec.ts';
import type { ServerSpec } from '../../src/host/connection/supervision/server-set.ts';
import { http, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';

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

test('[wire:DEADLINE] where an entry limits requests, each answer of the handshake has that time', async () => {
  const silent = world.keep(await new HttpFixture(() => {}).listen());
  const legacy = world.keep(
    await new HttpFixture(legacyHttp(({ seen }) => seen.message?.method === 'initialize')).listen(),
  );
  const entry = (url: string, more = {}) => ({ transport: 'http' as const, url, request_timeout_ms: 300, ...more });
  const specs = Object.entries({
    silent: entry(silent.url),
    legacy: entry(legacy.url),
    patient: entry(silent.url, { startup_timeout_ms: 700 }),
  }).map(([id, entry]) => {
    const named = { id, source: 'global', file: '/nowhere/config.json', entry } as const;
    return toServerSpec(named, { env: {}, projectDir: '/nowhere', serversDir: '/nowhere/servers' }).spec as ServerSpec;
  });
  const host = world.host();
  host.apply(specs);
  const ids = host.status().map(({ id }) => id);
  await until(() => host.status().every(({ state }) => state === 'error'));
  expect(ids.map((id) => [id, host.statusOf(id)?.lastError])).toEqual([
    ['legacy', 'the server did not answer initialize for 300 ms, and reported no progress'],
    ['patient', 'the server did not start within 700 ms'],
    ['silent', 'the server did not answer server/discover for 300 ms, and reported no progress'],
  ]);
});

test('[wire:ERA] a server that names no protocol version in its answer to initialize is refused', async () => {
  const nameless = legacyHttp((reply) => {
    if (reply.seen.message?.method !== 'initialize') return false;
    reply.result({ serverInfo: { name: 'x', version: '1' }, capabilities: { tools: {} } });
    return true;
  });
  expect(await outcome('http', nameless)).toBe('the server named no protocol version in its answer to initialize');
});
