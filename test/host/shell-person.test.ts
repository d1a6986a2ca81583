import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryTokens } from '../../src/host/index.ts';
import { type AuthorizationServer, startAuthorizationServer, walkThrough } from '../fixtures/authorization-server.ts';
import { STDIO_SERVER, until, World } from '../fixtures/connect.ts';
import { startGuardedServer } from '../fixtures/guarded-server.ts';
import { openShell } from '../support/open-shell.ts';

const world = new World();
let as: AuthorizationServer;
beforeAll(async () => {
  as = world.keep(await startAuthorizationServer());
});
afterAll(() => world.close());

const stdio = (behaviour: string) => ({
  transport: 'stdio' as const,
  command: process.execPath,
  args: [STDIO_SERVER, behaviour],
});

/** A shell at which a server waits for a sign-in. */
async function openGuarded({ browser = true } = {}) {
  const { url, fixture } = await startGuardedServer({ server: as });
  world.keep(fixture);
  const shell = await openShell(
    { web: { transport: 'http', url }, fix: stdio('legacy') },
    { interactive: true, browser, tokens: memoryTokens() },
  );
  await until(() => shell.host.statusOf('fix')?.state === 'ready');
  const text = await shell.until('/auth?');
  const [, page = ''] = /open: (\S+)\n/.exec(text) ?? [];
  const [, redirectUri = ''] = /comes back to: (\S+)\n/.exec(text) ?? [];
  return { ...shell, page, redirectUri };
}

test('[host:H11] while a sign-in waits, commands and calls go on, and no browser opens before a yes', async () => {
  const { type, until: seen, opened, page, redirectUri, host, end } = await openGuarded();
  type('/mcp');
  expect(await seen('web\t')).toMatch(
    /^id\ttransport\tsource\tenabled\tstate\ttools\treason\nfix\tstdio\tcode\ttrue\tready/,
  );
  type('fix/echo message=hello');
  await seen('= no\n');
  type('y');
  expect([await seen('hello\n'), opened]).toEqual(['hello\n', []]);
  type('y');
  await until(() => opened.length > 0);
  expect(opened).toEqual([page]);
  await (await fetch(await walkThrough(page, redirectUri))).text();
  await until(() => host.statusOf('web')?.state === 'ready');
  type('/quit');
  end();
});

test('[host:H11] the address that a browser ends at can be pasted; one that does not fit is said', async () => {
  const { type, until: seen, opened, page, redirectUri, host, end } = await openGuarded({ browser: false });
  type('http://127.0.0.1/mcp/oauth/callback?code=x&state=foreign');
  expect(await seen('\n')).toBe('that is not the address that this sign-in ends at\n');
  type(await walkThrough(page, redirectUri));
  await until(() => host.statusOf('web')?.state === 'ready');
  expect(opened).toEqual([]);
  end();
});

test.each(['n', 'Ctrl-C'])('[host:H11] %s gives a sign-in up, and it can be asked for again', async (way) => {
  const { type, until: seen, shell, host, end } = await openGuarded();
  if (way === 'n') type('n');
  else shell.interrupt();
  expect(await seen('\n')).toBe('gave up; "/mcp reconnect web" asks again\n');
  await until(() => host.statusOf('web')?.state === 'auth_required');
  type('/mcp reconnect web');
  expect(await seen('/auth?')).toContain('asks you to sign in at');
  end();
});

test('[host:H11] /quit leaves while a sign-in waits', async () => {
  const { type, ended } = await openGuarded();
  type('/quit');
  expect(await ended).toBe(true);
});

test('[host:S54] /mcp is answered while a call runs, and counts the tools that can be called', async () => {
  const entry = { ...stdio('legacy'), include_tools: ['never', 'echo'] };
  const { type, until: seen, shell, host, end } = await openShell({ fix: entry }, { interactive: true });
  await until(() => host.statusOf('fix')?.state === 'ready');
  type('fix/never');
  await seen('= no\n');
  type('/mcp');
  expect(await seen('ready')).toContain('fix\tstdio\tcode\ttrue\tready\t2\t\n');
  type('y');
  type('/mcp fix');
  expect(await seen('last_error')).toMatch(/^id: fix\n/);
  shell.interrupt();
  expect(await seen('\n')).toContain('error: cancelled\n');
  end();
});

test('[host:H11] a script’s lines run one after the other', async () => {
  const { type, until: seen, end } = await openShell({ fix: stdio('legacy') });
  type('fix/echo message=first');
  await seen('= no\n');
  type('y');
  type('/mcp');
  expect(await seen('ready')).toMatch(/^first\nid\t/);
  end();
});
