import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleSignIn } from '../src/cli/console-sign-in.ts';
import { openCommandHome } from './support/command-home.ts';
import { commandLine } from './support/running-bindery.ts';

const home = openCommandHome();
let url = '';
let link = '';
let stop: () => Promise<unknown>;
beforeAll(async () => {
  const child = spawn(process.execPath, commandLine('up', '--port', '0'), {
    cwd: home.cwd,
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    shown += chunk;
    if (shown.includes('Stop: Ctrl-C')) break;
  }
  link = /http:\S+\?sign_in=\S+/.exec(shown)?.[0] ?? '';
  url = new URL(link).origin;
  const gone = once(child, 'exit');
  stop = () => {
    child.kill('SIGTERM');
    return gone;
  };
});
afterAll(() => stop());

const visit = (address: string) => fetch(address, { redirect: 'manual' });
const reload = (headers: Record<string, string>) =>
  fetch(`${url}/v1/policy/reload`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json', ...headers },
  }).then(({ status }) => status);

test('the link of the start-up text gives a browser the admin’s cookie, once [gateway:D5]', async () => {
  expect((await visit(`${url}/?sign_in=guessed`)).status).toBe(403);
  const first = await visit(link);
  const cookie = first.headers.get('set-cookie') ?? '';
  expect([first.status, first.headers.get('location'), cookie]).toEqual([
    303,
    '/',
    expect.stringMatching(/^bindery_console=\d+\.[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/),
  ]);
  const again = await visit(link);
  expect([again.status, await again.json()]).toMatchObject([403, { code: 'SIGN_IN_USED' }]);
  const value = cookie.split(';')[0] as string;
  const forged = value.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const later = value.replace(/=(\d+)\./, (_, until) => `=${Number(until) + 1}.`);
  expect([
    await reload({ cookie: `other=1; ${value}`, origin: url }),
    // Another port of this machine is the same site to a browser, and sends the cookie as well.
    await reload({ cookie: value, origin: 'http://127.0.0.1:1' }),
    await reload({ cookie: value }),
    await reload({ cookie: forged, origin: url }),
    await reload({ cookie: later, origin: url }),
    await reload({ origin: url }),
  ]).toEqual([200, 401, 401, 401, 401, 401]);
});

test('the cookie holds for its time, across a restart, and ends with the admin’s token [gateway:D5]', () => {
  let now = 1_000_000_000_000;
  const clock = { now: () => now };
  const signIn = new ConsoleSignIn('token', clock);
  const code = new URL(signIn.link('http://h')).searchParams.get('sign_in') as string;
  const cookie = signIn.signIn(code)?.split(';')[0] as string;
  const reads = { hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false } };
  const holds = (one: ConsoleSignIn) =>
    one.isSignedIn(reads, { header: (name) => (name === 'cookie' ? cookie : undefined) });
  expect([
    holds(signIn),
    holds(new ConsoleSignIn('token', clock)),
    holds(new ConsoleSignIn('another token', clock)),
  ]).toEqual([true, true, false]);
  now += 8 * 86_400_000;
  expect(holds(signIn)).toBe(false);
});
