import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { http, World } from '../../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../../../../test/fixtures/servers/http-server.ts';
import type { UpstreamError } from '../../../wire/upstream.ts';
import type { Authorizer } from '../../transports/http-sender.ts';
import { type ConnectOptions, type ConnectPorts, connectServer } from './connect-server.ts';
import type { HttpSpec } from './server-set.ts';

const world = new World();
afterAll(() => world.close());
const listen = async (handler = legacyHttp()) => world.keep(await new HttpFixture(handler).listen());

const connect = async (
  url: string,
  spec: Partial<HttpSpec> = {},
  options: ConnectOptions = {},
  ports: Partial<ConnectPorts> = {},
) =>
  connectServer(http(url, spec), { ...world.ports(), ...ports }, options).then(
    (connection) => world.keep(connection) && 'connected',
    ({ kind, message }: UpstreamError) => [kind, message],
  );

test('only an HTTP URL is connected to, from the entry or from the resolver', async () => {
  const fixture = await listen();
  const wrong = ['refused', 'the URL is not an HTTP URL'];
  expect([
    await connect('nonsense'),
    await connect('ftp://a.example/'),
    await connect('xhttp://a.example/'),
    await connect('', {}, { address: async () => 'file:///etc' }),
    await connect('', {}, { address: async () => fixture.url }),
  ]).toEqual([wrong, wrong, wrong, wrong, 'connected']);
});

test('credentials in a URL are sent as Basic authentication, and an entry’s own header wins', async () => {
  const fixture = await listen();
  const presented = async (credentials: string, headers: Record<string, string> = {}) => {
    fixture.seen.length = 0;
    await connect(fixture.url.replace('//', `//${credentials}`), { headers });
    return fixture.of('server/discover').at(-1)?.headers.authorization;
  };
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  expect([
    await presented(''),
    await presented('me:se%40cret@'),
    await presented('me@'),
    await presented(':only@'),
    await presented('me:x@', { authorization: 'Bearer t' }),
  ]).toEqual([undefined, basic('me:se@cret'), basic('me:'), basic(':only'), 'Bearer t']);
});

test('a token is presented if there is one, unless the entry forbids it', async () => {
  const fixture = await listen();
  const authorizer: Authorizer = { authorization: async () => 'Bearer token', challenged: async () => false } as never;
  const presented = async (spec: Partial<HttpSpec>, has: boolean) => {
    fixture.seen.length = 0;
    await connect(fixture.url, spec, {}, { authorizerFor: () => (has ? authorizer : undefined) });
    return fixture.of('server/discover').at(-1)?.headers.authorization;
  };
  expect([await presented({}, true), await presented({ oauth: false }, true), await presented({}, false)]).toEqual([
    'Bearer token',
    undefined,
    undefined,
  ]);
});

test('a server that does not start in time is reported as such; an aborted start as cancelled', async () => {
  const silent = await listen(() => {});
  const stop = new AbortController();
  const cancelled = connect(silent.url, {}, { signal: stop.signal });
  setTimeout(() => stop.abort(), 30);
  const late = await connect(silent.url, { startupTimeoutMs: 40 });
  expect([
    late,
    ((await cancelled) as string[])[0],
    ((await connect(silent.url, {}, { signal: AbortSignal.abort() })) as string[])[0],
  ]).toEqual([['timed_out', 'the server did not start within 40 ms'], 'cancelled', 'cancelled']);
});

test('a program that downloads its server first and does not start in time names the likely cause', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-download-'));
  const npx = join(dir, 'npx');
  writeFileSync(npx, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const started = connectServer(
    { id: 'a', transport: 'stdio', command: npx, cwd: dir, startupTimeoutMs: 40 },
    world.ports(),
  );
  await expect(started).rejects.toMatchObject({
    kind: 'timed_out',
    message: expect.stringMatching(/within 40 ms; npx downloads the server first: .*NODE_EXTRA_CA_CERTS/),
  });
  rmSync(dir, { recursive: true, force: true });
});

test('the deadlines of an entry are those of its requests', async () => {
  const silent = await listen((reply) => {
    if (reply.seen.message?.method !== 'tools/call') legacyHttp()(reply);
  });
  const late = async (spec: Partial<HttpSpec>) => {
    const connection = world.keep(await connectServer(http(silent.url, spec), world.ports(), { remembered: '2025' }));
    return connection.request({ method: 'tools/call', params: {} }).catch(({ message }: UpstreamError) => message);
  };
  expect([await late({ requestTimeoutMs: 30 }), await late({ toolTimeoutMaxMs: 40 })]).toEqual([
    'the server did not answer tools/call for 30 ms, and reported no progress',
    'the server did not answer tools/call within 40 ms in all',
  ]);
});

test('a connected server leaves no listener on the caller’s signal', async () => {
  const fixture = await listen();
  const { signal } = new AbortController();
  await connect(fixture.url, {}, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the start-up deadline is paused while a person signs in, until the server has started', async () => {
  let isSignedIn = false;
  const fixture = await listen((reply) => {
    if (isSignedIn) return legacyHttp()(reply);
    reply.json({}, 401, { 'www-authenticate': 'Bearer' });
  });
  let [apart, challenges] = [0, 0];
  const authorizer = {
    authorization: async () => undefined,
    challenged: async () => {
      challenges += 1;
      await new Promise((resolve) => setTimeout(resolve, challenges === 1 ? 400 : 1));
      isSignedIn = true;
      return true;
    },
  } as unknown as Authorizer;
  const whileWaiting = <T>(work: () => Promise<T>) => {
    apart += 1;
    return work();
  };
  const ports = { ...world.ports(), authorizerFor: () => authorizer };
  const connection = await connectServer(http(fixture.url, { startupTimeoutMs: 300 }), ports, { whileWaiting });
  world.keep(connection);
  isSignedIn = false;
  await connection.request({ method: 'tools/call', params: {} });
  expect([apart, challenges > 1]).toEqual([1, true]);
});
