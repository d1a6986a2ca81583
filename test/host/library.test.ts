import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ClientCallbacks,
  type CredentialStore,
  createHost,
  fileTokens,
  type HostOptions,
  type Log,
  memoryTokens,
  type SignInPorts,
} from '../../src/host/index.ts';
import {
  type AuthorizationServer,
  personWithBrowser,
  startAuthorizationServer,
} from '../fixtures/authorization-server.ts';
import { STDIO_SERVER, World } from '../fixtures/connect.ts';
import { startGuardedServer } from '../fixtures/guarded-server.ts';

const world = new World();
let as: AuthorizationServer;
beforeAll(async () => {
  as = world.keep(await startAuthorizationServer());
});
afterAll(() => world.close());

const home = () => mkdtemp(join(tmpdir(), 'bindery-library-'));
const stdio = { transport: 'stdio' as const, command: process.execPath, args: [STDIO_SERVER, 'legacy'] };

async function guarded() {
  const { url, fixture } = await startGuardedServer({ server: as });
  world.keep(fixture);
  return { web: { transport: 'http' as const, url } };
}

async function stateOf(options: HostOptions) {
  const host = world.keep(createHost(options));
  await host.connect();
  return host.statusOf('web')?.state;
}

test('[host:H11] a sign-in of a server given in code is kept in a file of the person, and used by the next host', async () => {
  const servers = await guarded();
  const HOME = await home();
  const env = { ...process.env, HOME, BINDERY_LAYOUT: '' };
  const person: SignInPorts = personWithBrowser();
  expect(await stateOf({ servers, env, person })).toBe('ready');
  expect(await stateOf({ servers, env })).toBe('ready');
  const file = join(HOME, '.bindery', 'host-auth.json');
  expect([Object.keys(JSON.parse(await readFile(file, 'utf8')).servers), (await stat(file)).mode & 0o777]).toEqual([
    ['web'],
    0o600,
  ]);
});

test.each<[string, () => Promise<CredentialStore>]>([
  ['a file', async () => fileTokens(join(await home(), 'own.json'))],
  ['memory', async () => memoryTokens()],
])('[host:H11] a program keeps sign-ins in %s that it names', async (_where, makeTokens) => {
  const servers = await guarded();
  const tokens = await makeTokens();
  const env = { ...process.env, HOME: await home() };
  expect(await stateOf({ servers, env, tokens, person: personWithBrowser() })).toBe('ready');
  expect(await stateOf({ servers, env, tokens })).toBe('ready');
  expect(await stateOf({ servers, env, tokens: memoryTokens() })).toBe('auth_required');
});

test('tokens in memory are changed one after the other', async () => {
  const tokens = memoryTokens();
  await Promise.all(
    Array.from({ length: 20 }, () =>
      tokens.update('a', (stored) => ({ scope: `${stored?.scope ?? ''}x`, access_token: 't' })),
    ),
  );
  expect((await tokens.get('a'))?.scope).toBe('x'.repeat(20));
  await tokens.update('a', () => undefined);
  expect(await tokens.get('a')).toBeUndefined();
});

test('[host:H11] a tool is called by its public name or by server/tool, and a name that nobody has is a result', async () => {
  const callbacks: ClientCallbacks = {};
  const lines: string[] = [];
  const log: Log = { debug() {}, info() {}, warn: (line) => void lines.push(line), error() {} };
  const host = world.keep(createHost({ servers: { fix: stdio }, mode: 'full-access', callbacks, log }));
  await host.connect();
  const name = host.tools().find(({ origin }) => origin?.tool === 'echo')?.name ?? '';
  const answers = [
    await host.callTool(name, { message: 'one' }),
    await host.callTool('fix/echo', { message: 'two' }),
    await host.callTool('mcp_prompts_list'),
    await host.callTool('nope'),
  ];
  expect(answers.map(({ isError, text }) => [isError, text])).toEqual([
    [false, 'one'],
    [false, 'two'],
    [false, 'none'],
    [true, 'there is no tool "nope"'],
  ]);
  expect(host.status().map(({ id, source }) => [id, source])).toEqual([['fix', 'code']]);
});
