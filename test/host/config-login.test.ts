import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { opensBrowser } from '../../src/cli/rooms/host/sign-in-person.ts';
import { type AuthorizationServer, startAuthorizationServer, walkThrough } from '../fixtures/authorization-server.ts';
import { World } from '../fixtures/connect.ts';
import { startGuardedServer } from '../fixtures/guarded-server.ts';
import { openHostCommands } from '../support/host-commands.ts';

const world = new World();
let authorization: AuthorizationServer;
beforeAll(async () => {
  authorization = world.keep(await startAuthorizationServer());
});
afterAll(() => world.close());

test('[host:C2] [host:C3] a person signs in from the command line, and the server can be tested afterwards', async () => {
  const { url, fixture } = await startGuardedServer({ server: authorization });
  world.keep(fixture);
  const { run, json, watchStderr, dir } = await openHostCommands();
  await run('mcp', 'add', 'guarded', '--url', url);
  const before = await json('mcp', 'test', 'guarded');
  expect([before.ok, String(before.error).split('bindery mcp auth login guarded').length]).toEqual([false, 2]);

  let opened = false;
  watchStderr((text) => {
    const [, page] = /open: (\S+)\n/.exec(text) ?? [];
    const [, redirectUri] = /comes back to: (\S+)\n/.exec(text) ?? [];
    if (page === undefined || redirectUri === undefined || opened) return;
    opened = true;
    void walkThrough(page, redirectUri).then((target) => fetch(target));
  });
  const { stdout, stderr, exitCode } = await run('mcp', 'auth', 'login', 'guarded');
  expect([stdout, exitCode], stderr).toEqual(['signed in to guarded\n', 0]);
  expect(stderr).toContain(`guarded (${url}) asks you to sign in at ${authorization.issuer}\n`);

  expect(await json('mcp', 'test', 'guarded')).toMatchObject({ ok: true, tools: 1 });
  expect((await json('mcp', 'auth', 'list')).items).toMatchObject([{ server_id: 'guarded' }]);
  const { access_token } = JSON.parse(await readFile(join(dir, '.bindery', 'mcp-auth.json'), 'utf8')).servers.guarded;
  expect(`${stdout}${stderr}`).not.toContain(access_token);
});

test('[host:C2] a server that takes no sign-in says so', async () => {
  const { run } = await openHostCommands();
  await run('mcp', 'add', 'local', '--command', process.execPath, '--arg', '-e', '--arg', '0');
  const { stderr } = await run('mcp', 'auth', 'login', 'local');
  expect(stderr).toMatch(/this server takes no sign-in \(SIGN_IN_FAILED\)\nnext: See the detail/);
});

test('[host:C2] a sign-in that fails says what to do about that failure', async () => {
  const { url, fixture } = await startGuardedServer({ server: authorization, metadata: null });
  world.keep(fixture);
  const { run } = await openHostCommands((home) => ({ BINDERY_MCP_OAUTH_TIMEOUT_MS: '2000', HOME: home }));
  await run('mcp', 'add', 'keyed', '--url', url);
  expect((await run('mcp', 'auth', 'login', 'keyed')).stderr).toMatch(/\nnext: The server may want a key instead/);
  const guarded = await startGuardedServer({ server: authorization });
  world.keep(guarded.fixture);
  await run('mcp', 'add', 'slow', '--url', guarded.url);
  expect((await run('mcp', 'auth', 'login', 'slow')).stderr).toMatch(
    /\nnext: Try again; over SSH set BINDERY_OAUTH_BROWSER=manual/,
  );
});

test('[host:C2] over SSH no browser is opened on the far machine, unless it is asked for', () => {
  expect([
    opensBrowser({}),
    opensBrowser({ SSH_TTY: '/dev/pts/1' }),
    opensBrowser({ SSH_TTY: '/dev/pts/1', BINDERY_OAUTH_BROWSER: 'auto' }),
    opensBrowser({ BINDERY_OAUTH_BROWSER: 'manual' }),
  ]).toEqual([true, false, true, false]);
});
