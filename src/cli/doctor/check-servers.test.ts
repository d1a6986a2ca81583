import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { KeyStore } from '../../store/keys/key-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { claimDataDir } from '../running-gateway.ts';
import { checkReadiness, checkServers } from './check-servers.ts';
import { checkKeys } from './check-stored.ts';
import type { SetUp } from './finding.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bindery-doctor-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A gateway that says this of its servers, or what it answers otherwise. */
async function gatewaySaying(answers: Readonly<Record<string, object>>) {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[path] ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const claim = await claimDataDir(dir);
  claim.announce(url, { cwd: dir, registryFile: join(dir, 'registry.db') });
  const close = () => {
    claim.release();
    server.close();
  };
  return { running: { url, pid: process.pid, cwd: dir }, close };
}

const setUp = (running?: SetUp['running']) =>
  ({
    machine: { platform: process.platform, home: dir, env: process.env },
    cwd: dir,
    configDir: dir,
    configFile: join(dir, 'config.json'),
    dataDir: dir,
    running,
  }) as SetUp;
const config = () => new ConfigStore({ global: join(dir, 'config.json'), project: projectConfigFile(dir) });

test('each failure of a server that a gateway knows has its own remedy; an entry that is no entry is said elsewhere', async () => {
  writeFileSync(join(dir, 'config.json'), '{"mcp":{"servers":{"bad":{"transport":"http"}}}}');
  const item = (id: string, transport: string, state: string, reason: string | null) => ({
    id,
    transport,
    state,
    reason,
  });
  const items = [
    item('bad', 'http', 'error', 'url: is required'),
    item('a', 'stdio', 'error', 'it ended with 1'),
    item('b', 'http', 'error', 'the server answered HTTP 500'),
    item('c', 'http', 'error', 'the server requires authorization'),
    item('d', 'http', 'error', 'the variable FIGMA_TOKEN is not set'),
    item('e', 'stdio', 'connecting', 'waiting for its answer to the handshake for 17 s'),
    item('f', 'stdio', 'connecting', null),
    item('g', 'stdio', 'disabled', 'untrusted: the project defines this server; look at it'),
    item('h', 'http', 'auth_required', null),
  ];
  const gateway = await gatewaySaying({ '/v1/servers': { items, next_cursor: null } });
  const found = await checkServers(setUp(gateway.running), config());
  gateway.close();
  expect(found.map(({ level, message, fix }) => [level, message, fix])).toEqual([
    ['error', 'a: it ended with 1', 'Its last lines: `bindery mcp logs a`.'],
    ['error', 'b: the server answered HTTP 500', 'See at which step it fails: `bindery mcp test b`.'],
    [
      'error',
      'c: the server requires authorization',
      'Give it a token: `bindery mcp auth set c`, or `headers` in its entry.',
    ],
    [
      'error',
      'd: the variable FIGMA_TOKEN is not set',
      'Set it where `bindery up` is started, and start the gateway again.',
    ],
    [
      'warning',
      'e is connecting: waiting for its answer to the handshake for 17 s',
      'Its last lines: `bindery mcp logs e`.',
    ],
    [
      'warning',
      'g does not start: untrusted: the project defines this server',
      'See what it starts with `bindery mcp trust --list`, then: `bindery mcp trust g`.',
    ],
    ['error', 'h asks for a sign-in', 'Sign in: `bindery mcp auth login h`.'],
  ]);
});

test('problems and warnings of a gateway are reported', async () => {
  const gateway = await gatewaySaying({
    '/readyz': { ready: false, reasons: ['draining'], warnings: ['global policy: gone', 'the database is away'] },
  });
  const found = await checkReadiness(gateway.running);
  gateway.close();
  expect(found.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'error: it is not ready: draining',
    'warning: the database is away',
  ]);
});

test('an untrusted server of the project is a warning', async () => {
  mkdirSync(join(dir, '.bindery'));
  writeFileSync(
    join(dir, '.bindery', 'config.json'),
    JSON.stringify({ mcp: { servers: { notes: { transport: 'stdio', command: process.execPath } } } }),
  );
  expect((await checkServers(setUp(), config())).map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warning: notes does not start: untrusted: the project defines this server',
  ]);
});

test('API keys that have expired are named, others are not', () => {
  const file = join(dir, 'registry.db');
  const database = openDatabase(file);
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
  const scopes = { scopes: ['call'], profiles: ['default'] } as never as { scopes: ['call']; profiles: string[] };
  const past = new KeyStore(database, { now: () => Date.UTC(2020, 0, 1) });
  past.create({ ...scopes, name: 'old', lifeMs: 86_400_000 }, random);
  past.create({ ...scopes, name: 'eternal', lifeMs: null }, random);
  database.close();
  expect(checkKeys(file).map(({ message }) => message)).toEqual(['the API key old has expired (2020-01-02)']);
});
