import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { exampleTls, withFakeDns } from '../support/example-tls.ts';
import {
  type BinderyHome,
  commandLine,
  createHome,
  listServers,
  type RunningBindery,
  startBindery,
  until,
} from '../support/running-bindery.ts';

let home: BinderyHome;
let bindery: RunningBindery;
let server: HttpFixture;
beforeEach(async () => {
  server = await new HttpFixture(legacyHttp(), exampleTls).listen();
  home = await createHome({ version: 1 });
  const env = { ...home.env, ...withFakeDns({ 'mcp.example.com': ['127.0.0.1'] }) };
  bindery = await startBindery({ ...home, env });
});
afterEach(async () => {
  await bindery.stop('SIGKILL');
  await server.close();
  await home.remove();
});

const keyFor = async (scope: string) => {
  const argv = commandLine('keys', 'create', scope, '--scope', scope, '--json');
  const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: home.cwd, env: home.env });
  return `Bearer ${(JSON.parse(stdout) as { key: string }).key}`;
};
const register = async (name: string, endpoint: string, authorization?: string) => {
  const manifest = { name, endpoint, transport: 'http' };
  const { status, body } = await bindery.api('POST', '/v1/servers', manifest, authorization);
  return [status, (body as { code?: string }).code];
};
const stateOf = async (name: string) => (await listServers(bindery)).find(({ id }) => id === name) ?? {};

test('a key of scope register reaches nothing inside by a name that leads there; an admin does [gateway:D5]', async () => {
  const endpoint = server.url.replace('127.0.0.1', 'mcp.example.com');
  expect(await register('stranger', endpoint, await keyFor('register'))).toEqual([201, undefined]);
  await until('it was refused', async () => (await stateOf('stranger')).state === 'error');
  expect([(await stateOf('stranger')).reason, server.seen]).toEqual([
    expect.stringContaining('mcp.example.com is not public: loopback'),
    [],
  ]);
  const { body } = await bindery.api('POST', '/v1/servers/stranger/test', {});
  expect([body, server.seen]).toMatchObject([{ ok: false }, []]);
  expect(await register('own', endpoint, await keyFor('admin'))).toEqual([201, undefined]);
  await until('the admin’s is connected', async () => (await stateOf('own')).state === 'ready');
});

test('a key of scope register names no address that is not public [gateway:D5]', async () => {
  const authorization = await keyFor('register');
  const hosts = [
    '127.1',
    '0x7f000001',
    '[::1]',
    '[::ffff:8.8.8.8]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[::10.0.0.1]',
    '[fec0::1]',
    '[ff02::1]',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    'localhost',
    'metadata.google.internal',
    'printer.local',
    'redis',
    '169.254.169.254',
  ];
  const answers = await Promise.all(hosts.map((host, at) => register(`s${at}`, `https://${host}/mcp`, authorization)));
  expect(answers).toEqual(hosts.map(() => [422, 'ENDPOINT_REFUSED']));
});

test('the name of a room is the room’s, whether it is served or not, for an admin too [gateway:D5]', async () => {
  for (const name of ['bind', 'civic', 'context'])
    expect([name, await register(name, 'https://mcp.example.com/mcp')]).toEqual([name, [409, 'SERVER_EXISTS']]);
});
