import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { NO_NAMES } from '../../host/connection/supervision/named-endpoint.ts';
import { KeyStore } from '../../store/keys/key-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { GatewayAssembly } from '../gateway-assembly.ts';
import { UP_LIMITS } from '../limits.ts';
import type { ServedGateway } from '../serve-gateway.ts';
import type { UpSettings } from '../up-settings.ts';
import { accessControl } from './access-control.ts';
import { ConsoleSignIn } from './console-sign-in.ts';
import { adminToken } from './credentials.ts';
import { createHttpApi, type HttpApi } from './http-api.ts';
import { mcpEdge } from './mcp-edge.ts';

const [clock, random] = [{ now: Date.now }, { bytes: (length: number) => randomBytes(length) }];
let dir: string;
let runtime: GatewayAssembly;
let api: HttpApi;
let server: Server;
let url: string;

beforeEach(async () => {
  // The jobs of the gateway are run by the test.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  dir = mkdtempSync(join(tmpdir(), 'bindery-api-'));
  writeFileSync(join(dir, 'config.json'), '{}');
  const folders = { dataDir: dir, configDir: dir, configFile: join(dir, 'config.json') };
  const common = { ...folders, registryFile: join(dir, 'registry.db'), node: 'local', clock, random };
  const log = createMemoryLog();
  runtime = new GatewayAssembly({
    ...{ ...common, log, projectDir: dir, policyFile: undefined, trustProject: false, exposure: undefined },
    ...{ env: {}, version: '0', names: NO_NAMES, builtins: [] },
  });
  await runtime.start();
  const settings = {
    ...common,
    log,
    flags: {},
    cwd: dir,
    policyFile: undefined,
    databaseUrl: undefined,
    advertise: undefined,
  };
  const address = () => url;
  const up: UpSettings = { ...settings, baseUrl: address };
  const control = accessControl(runtime, up, {
    flags: { host: '127.0.0.1', token: 'the-token' },
    ownUrls: [],
  });
  const gateway = { runtime } as unknown as ServedGateway;
  const signIn = new ConsoleSignIn(adminToken(dir), clock);
  api = createHttpApi({ ...control, served: [], gateway, settings: up, signIn });
  const { credentials, acceptsHost } = control;
  const mcp = mcpEdge(runtime, {
    authenticate: (headers, profile) => credentials.caller(headers.authorization, profile),
    acceptsHost,
  });
  server = createServer((request, response) => {
    if (request.url === '/mcp') mcp(request, response, 'default');
    else api.listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  api.gateway.events.close();
  server.closeAllConnections();
  server.close();
  await runtime.close();
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

/** Opens both kinds of streams; gives what tells whether each has ended. */
async function openStreams(authorization: string) {
  const initialize = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    }),
  });
  const session = initialize.headers.get('mcp-session-id') as string;
  const opened = [
    await fetch(`${url}/v1/events`, { headers: { authorization } }),
    await fetch(`${url}/mcp`, {
      headers: { authorization, accept: 'text/event-stream', 'mcp-session-id': session },
    }),
  ];
  const ended = opened.map(() => false);
  for (const [at, response] of opened.entries()) {
    expect(response.status).toBe(200);
    void response
      .text()
      .then(() => (ended[at] = true))
      .catch(() => {});
  }
  return { ended: () => [...ended] };
}

const keyOf = (lifeMs: number | null) =>
  runtime.stores.keys.create({ name: 'k', scopes: ['call', 'read'], profiles: [], lifeMs }, random);

test('streams end when the key that opened them is revoked by another process, and others stay', async () => {
  const [revoked, other] = [keyOf(null), keyOf(null)];
  const streams = await openStreams(`Bearer ${revoked.key}`);
  const others = [await openStreams(`Bearer ${other.key}`), await openStreams(`Bearer ${adminToken(dir)}`)];
  const database = openDatabase(join(dir, 'registry.db'));
  new KeyStore(database, clock).revoke(revoked.record.id);
  database.close();
  vi.advanceTimersByTime(UP_LIMITS.jobsEveryMs);
  await expect.poll(() => streams.ended()).toEqual([true, true]);
  expect(others.map(({ ended }) => ended())).toEqual([
    [false, false],
    [false, false],
  ]);
});

test('streams end when the key that opened them expires', async () => {
  const begun = Date.now();
  const { ended } = await openStreams(`Bearer ${keyOf(1_500).key}`);
  await expect.poll(() => ended(), { timeout: 5_000 }).toEqual([true, true]);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(1_500);
});

test('a reader that takes nothing is let go when too many bytes wait for it', async () => {
  const { events } = api.gateway;
  const stream = events.stream({});
  const text = 'x'.repeat(1024 * 1024);
  const most = UP_LIMITS.eventBytesBehindMax / text.length;
  for (let sent = 0; sent < most + 10; sent += 1) runtime.approvals.emit('created', { text } as never);
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  expect([bytes > UP_LIMITS.eventBytesBehindMax, bytes < UP_LIMITS.eventBytesBehindMax + 2 * text.length]).toEqual([
    true,
    true,
  ]);
});

test('a caller with too many event streams loses its oldest; other callers lose none', async () => {
  const { events } = api.gateway;
  const opened = (caller: string | undefined) => events.stream({}, { caller }).getReader();
  const [other, admin] = [opened('other'), opened(undefined)];
  const own = Array.from({ length: UP_LIMITS.eventStreamsPerCallerMax + 2 }, () => opened('greedy'));
  const isEnded = async (reader: (typeof own)[number]) => {
    await reader.read();
    return Promise.race([
      reader.read().then(({ done }) => done),
      new Promise((resolve) => setImmediate(resolve, false)),
    ]);
  };
  const readers = [other, admin, ...own.slice(0, 4)];
  expect(await Promise.all(readers.map(isEnded))).toEqual([false, false, true, true, false, false]);
  for (const reader of [...readers, ...own]) await reader.cancel();
});

test('a credential that is not valid is named as that, the same for an unknown and a revoked key, and a missing one is asked for', async () => {
  const revoked = keyOf(null);
  runtime.stores.keys.revoke(revoked.record.id);
  const ask = async (path: string, authorization: string | undefined) => {
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const response = await fetch(`${url}${path}`, {
      headers,
      ...(path === '/mcp' ? { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } : {}),
    });
    const { code, detail, error } = (await response.json()) as Record<string, unknown>;
    const said = error === undefined ? [code, detail] : [(error as { message: string }).message];
    return [response.status, response.headers.get('www-authenticate'), ...said];
  };
  const notValid = expect.stringMatching(/not valid: it is unknown, revoked or expired\. `bindery keys list`/);
  const invalid = 'Bearer error="invalid_token"';
  const valid = keyOf(null).key;
  const mistyped = [`"${valid}"`, `Bearer ${valid}`, valid.toUpperCase(), '$BINDERY_KEY'];
  for (const sent of [revoked.key, `bk_${'x'.repeat(40)}`, ...mistyped]) {
    expect([await ask('/v1/tools', `Bearer ${sent}`), await ask('/mcp', `Bearer ${sent}`)]).toEqual([
      [401, invalid, 'CREDENTIAL_MISSING', notValid],
      [401, invalid, notValid],
    ]);
  }
  expect(await ask('/v1/tools', undefined)).toEqual([401, 'Bearer', 'CREDENTIAL_MISSING', undefined]);
});
