import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { commandLine, until } from '../support/running-bindery.ts';

const home = openCommandHome();

/** The program, and what it has said. */
function start(...argv: string[]) {
  const env = { ...home.env, BINDERY_OAUTH_BROWSER: 'manual' };
  const child = spawn(process.execPath, commandLine(...argv), {
    cwd: home.home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
  return { child, text: () => text, ended: once(child, 'exit') };
}

/** What a browser does with the page that asks: sends its form, with the button that was pressed. */
function press(page: string, person: string): Promise<Response> {
  const form = new URLSearchParams(new URL(page).searchParams);
  form.set('person', person);
  return fetch(page.split('?')[0] as string, { method: 'POST', body: form });
}

test('the demo says what to type, and what it says works: add, sign in, test; a denial signs nobody in', async () => {
  const demo = start('demo', 'oauth', '--port', '0');
  try {
    await until('the demo serves', () => demo.text().includes('Stop: Ctrl-C'));
    const [, add = ''] = /bindery (mcp add demo \S+ --scope global)/.exec(demo.text()) ?? [];
    expect((await home.run(...add.split(' '))).exitCode).toBe(0);
    for (const [person, isSignedIn] of [
      ['', false],
      ['ada', true],
    ] as const) {
      const login = start('mcp', 'auth', 'login', 'demo');
      await until('the page is named', () => /open: \S+/.test(login.text()));
      const [, page = ''] = /open: (\S+)/.exec(login.text()) ?? [];
      expect(await (await fetch(page)).text()).toContain('Sign in as ada');
      await press(page, person);
      const [exitCode] = await login.ended;
      expect(exitCode === 0).toBe(isSignedIn);
      expect((await home.run('mcp', 'test', 'demo')).exitCode === 0).toBe(isSignedIn);
    }
    const [, url = ''] = /add demo (\S+)\/mcp/.exec(demo.text()) ?? [];
    const refused = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams({ code: 'x' }) });
    expect([refused.status, (await fetch(`${url}/mcp`, { method: 'POST' })).status]).toEqual([400, 401]);
    const elsewhere = { method: 'POST', body: JSON.stringify({ redirect_uris: ['https://evil.example/'] }) };
    expect((await fetch(`${url}/register`, elsewhere)).status).toBe(400);
  } finally {
    demo.child.kill('SIGINT');
    await demo.ended;
  }
}, 60_000);
