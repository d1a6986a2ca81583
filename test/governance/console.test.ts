import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { ConsoleSignIn } from '../../src/runtime/http/console-sign-in.ts';
import { adminToken } from '../../src/runtime/http/credentials.ts';
import { UP_LIMITS } from '../../src/runtime/limits.ts';
import { openCommandHome } from '../support/command-home.ts';
import { openSession } from '../support/raw-client.ts';
import { commandLine, until } from '../support/running-bindery.ts';
import { visit } from '../support/visit.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const TOKEN = { authorization: 'Bearer of-the-agents' };
const home = openCommandHome();
let fixture: RunningFixture;
let url = '';
let link = '';
let printed = '';
let stop: () => Promise<unknown>;
beforeAll(async () => {
  fixture = await startModernFixture();
  const servers = { s: { transport: 'http', url: fixture.url } };
  home.write(
    '.bindery/config.json',
    JSON.stringify({ version: 1, mcp: { servers }, gateway: { approval: { wait_ms: 100 } } }),
  );
  const allowlist = { servers: ['s'], tools: { s: ['echo'] }, operations: { echo: { approval_required: true } } };
  home.write('project_mcp.json', JSON.stringify({ allowlist }));
  const child = spawn(process.execPath, commandLine('up', '--port', '0', '--token', 'of-the-agents'), {
    cwd: home.cwd,
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    shown += chunk;
    if (shown.includes('Stop: Ctrl-C')) break;
  }
  printed = shown;
  url = /serves (\S+)/.exec(shown)?.[1] ?? '';
  link = (await newLink())[1] ?? '';
  const gone = once(child, 'exit');
  stop = () => {
    child.kill('SIGTERM');
    return gone;
  };
});
afterAll(async () => {
  await stop();
  await fixture.close();
});

const newLink = async (authorization = `Bearer ${adminToken(home.dataDir)}`) => {
  const response = await fetch(`${url}/console/link`, { method: 'POST', headers: { authorization } });
  return [response.status, ((await response.json()) as { url?: string }).url] as const;
};
const keyIn = (page: string) => /setItem\('bindery_console_key', '([\w-]{43})'\)/.exec(page)?.[1] ?? '';
/** What a browser has after it opened a link. */
async function signIn() {
  const opened = await visit((await newLink())[1] as string);
  return {
    cookie: opened.headers.get('set-cookie')?.split(';')[0] as string,
    'bindery-console-key': keyIn(await opened.text()),
  };
}
const request = async (method: string, path: string, headers: object, body?: object) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const reload = async (headers: object) => (await request('POST', '/v1/policy/reload', headers, {})).status;
const read = async (headers: object) => (await request('GET', '/v1/approvals', headers)).status;

test('output that is not read at a terminal has no sign-in link, and says how to get one [gateway:D5]', async () => {
  expect(printed).toContain('For a link that signs a browser in as admin:\n  bindery console\n');
  expect(printed).not.toContain('sign_in=');
});

test('a link signs one browser in, and only a browser that opens it uses it up [gateway:D5]', async () => {
  expect((await visit(`${url}/?sign_in=guessed`)).status).toBe(403);
  const looked = [
    await visit(link, 'HEAD'),
    await visit(link, 'GET', { 'sec-purpose': 'prefetch' }),
    await visit(link, 'GET', { 'sec-purpose': 'prefetch;prerender' }),
    await visit(link, 'GET', { purpose: 'Prefetch' }),
    await visit(link, 'GET', { 'x-moz': 'prefetch' }),
    await visit(link, 'GET', { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }),
    await visit(link, 'GET', { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }),
    await visit(link, 'GET', { 'sec-fetch-mode': 'cors' }),
  ];
  expect(looked.map(({ status, headers }) => [status, headers.get('set-cookie')])).toEqual([
    [200, null],
    ...Array.from({ length: 7 }, () => [503, null]),
  ]);
  const first = await visit(link);
  expect([first.status, first.headers.get('set-cookie'), first.headers.get('cache-control')]).toEqual([
    200,
    expect.stringMatching(
      /^bindery_console=\d+\.[\w-]{22}\.[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/,
    ),
    'no-store',
  ]);
  const page = await first.text();
  const script = /<script nonce="[\w-]+">([^<]+)<\/script>/.exec(page)?.[1] as string;
  const done: unknown[] = [];
  const storage = { setItem: (...item: string[]) => done.push(item) };
  new Function('localStorage', 'location', script)(storage, { replace: (to: string) => done.push(to) });
  expect(done).toEqual([['bindery_console_key', keyIn(page)], '/']);
  const again = await visit(link);
  expect([again.status, await again.json()]).toMatchObject([403, { code: 'SIGN_IN_USED' }]);
});

test('the cookie alone opens nothing: other ports of the host have it too [gateway:D5]', async () => {
  const { cookie, ...key } = await signIn();
  const other = await signIn();
  const forged = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const later = cookie.replace(/=(\d+)\./, (_, issued) => `=${Number(issued) + 1}.`);
  const page = { origin: url, 'sec-fetch-site': 'same-origin' };
  expect([
    await reload({ cookie: `other=1; ${cookie}`, ...key, ...page }),
    // Whoever serves another port of this machine gets the cookie, and can write any header.
    await reload({ cookie, ...page }),
    await reload({ cookie, 'bindery-console-key': other['bindery-console-key'], ...page }),
    await reload({ ...key, ...page }),
    await reload({ cookie: forged, ...key, ...page }),
    await reload({ cookie: later, ...key, ...page }),
    await reload({ cookie, ...key, origin: 'http://127.0.0.1:1' }),
    await reload({ cookie, ...key }),
  ]).toEqual([200, 401, 401, 401, 401, 401, 401, 401]);
  expect([
    await read({ cookie, ...key, 'sec-fetch-site': 'same-origin' }),
    await read({ cookie, ...key }),
    await read({ cookie, 'sec-fetch-site': 'same-origin' }),
    await read({ cookie, ...key, 'sec-fetch-site': 'same-site' }),
    await read({ cookie, ...key, 'sec-fetch-site': 'cross-site' }),
  ]).toEqual([200, 200, 401, 403, 403]);
});

test('only the admin’s token gets another link: no browser prolongs its own sign-in [gateway:D5]', async () => {
  const browser = await signIn();
  const asked = await fetch(`${url}/console/link`, { method: 'POST', headers: { ...browser, origin: url } });
  const { key } = (await home.json('keys', 'create', 'k', '--scope', 'admin')) as { key: string };
  expect([asked.status, (await newLink(`Bearer ${key}`))[0], (await newLink(TOKEN.authorization))[0]]).toEqual([
    401, 401, 401,
  ]);
  expect(await newLink()).toEqual([200, expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?sign_in=[\w-]{43}$/)]);
});

describe('a browser that approves a call', () => {
  const pending = async (text: string): Promise<Approval> => {
    const session = await openSession(`${url}/mcp`, { headers: TOKEN });
    await until('the tool is known', async () =>
      JSON.stringify(await session.request('tools/list', {})).includes('s__echo'),
    );
    await session.request('tools/call', { name: 's__echo', arguments: { text } });
    const { body } = await request('GET', '/v1/approvals', { authorization: `Bearer ${adminToken(home.dataDir)}` });
    return (body.items as Approval[]).find(
      ({ arguments: args }) => (args as { text: string }).text === text,
    ) as Approval;
  };
  const confirm = async (id: string, browser: object) =>
    (await request('POST', `/v1/approvals/${id}/confirmation`, { ...browser, origin: url }, {})).body;
  const decide = async (id: string, browser: object, decision: string, confirmation?: string) => {
    const headers = confirmation === undefined ? {} : { 'bindery-confirmation': confirmation };
    const path = `/v1/approvals/${id}/decision`;
    const { status, body } = await request('POST', path, { ...browser, origin: url, ...headers }, { decision });
    return [status, body.code ?? body.status];
  };

  test('confirms this very call first, and the value is for nothing else [gateway:D5]', async () => {
    const [one, other] = [await pending('one'), await pending('other')];
    const [browser, second] = [await signIn(), await signIn()];
    const confirmed = await confirm(one.id, browser);
    expect(confirmed).toEqual({
      id: one.id,
      arguments_sha256: one.arguments_sha256,
      shown: one.shown,
      confirmation: expect.stringMatching(/^\d+\.[\w-]{43}$/),
      expires_at: expect.any(String),
    });
    const refused = [403, 'APPROVAL_UNCONFIRMED'];
    const value = confirmed.confirmation as string;
    expect([
      await decide(one.id, browser, 'approve'),
      await decide(one.id, browser, 'approve', 'guessed'),
      await decide(other.id, browser, 'approve', value),
      await decide(one.id, second, 'approve', value),
      await decide(one.id, browser, 'approve', value),
      await decide(one.id, browser, 'approve', value),
      await decide(other.id, browser, 'deny'),
    ]).toEqual([refused, refused, refused, refused, [200, 'approved'], [409, 'APPROVAL_NOT_PENDING'], [200, 'denied']]);
  });

  test('is not what a program is: the admin’s token approves as before [gateway:D5]', async () => {
    const { id } = await pending('program');
    const admin = { authorization: `Bearer ${adminToken(home.dataDir)}` };
    expect([(await confirm(id, admin)).confirmation, await decide(id, admin, 'approve')]).toEqual([
      null,
      [200, 'approved'],
    ]);
  });
});

describe('a sign-in', () => {
  const reads = { hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false } };
  const changes = { hints: { ...reads.hints, readOnly: false } };
  let now = 1_000_000_000_000;
  const clock = { now: () => now };
  const browserOf = (signIn: ConsoleSignIn, host = '127.0.0.1:7717') => {
    const code = new URL(signIn.link('http://h')).searchParams.get('sign_in') as string;
    const { cookie, key } = signIn.signIn(code, host) ?? { cookie: '', key: '' };
    const origin = `${cookie.startsWith('__Host-') ? 'https' : 'http'}://${host}`;
    const sent: Record<string, string> = {
      host,
      origin,
      cookie: cookie.split(';')[0] as string,
      'bindery-console-key': key,
    };
    return { set: cookie, sent };
  };
  const isIn = (one: ConsoleSignIn, operation: typeof reads, sent: Record<string, string>) =>
    one.visitor(operation, { header: (name) => sent[name] }) !== undefined;

  test('holds across a restart, shorter for changes than for reads, and ends with the admin’s token [gateway:D5]', () => {
    const signIn = new ConsoleSignIn('token', clock);
    const { sent } = browserOf(signIn);
    const all = [signIn, new ConsoleSignIn('token', clock), new ConsoleSignIn('another token', clock)];
    expect(all.map((one) => [isIn(one, reads, sent), isIn(one, changes, sent)])).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    now += UP_LIMITS.signedInToChangeMs - 1;
    expect([isIn(signIn, reads, sent), isIn(signIn, changes, sent)]).toEqual([true, true]);
    now += 1;
    expect([isIn(signIn, reads, sent), isIn(signIn, changes, sent)]).toEqual([true, false]);
    now += UP_LIMITS.signedInMs;
    expect([isIn(signIn, reads, sent), isIn(signIn, changes, sent)]).toEqual([false, false]);
  });

  test('over TLS has a cookie that no other host can set and no plain connection carries [gateway:D5]', () => {
    const signIn = new ConsoleSignIn('token', clock, () => ['tools.example']);
    const { set, sent } = browserOf(signIn, 'tools.example');
    expect(set).toMatch(/^__Host-bindery_console=\S+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800; Secure$/);
    const renamed = { ...sent, cookie: (sent.cookie as string).replace('__Host-', '') };
    expect([
      isIn(signIn, changes, sent),
      isIn(signIn, changes, renamed),
      isIn(signIn, changes, { ...sent, origin: 'http://tools.example' }),
    ]).toEqual([true, false, false]);
  });

  test('gives a confirmation that ends after its minute [gateway:D5]', () => {
    const signIn = new ConsoleSignIn('token', clock);
    const { sent } = browserOf(signIn);
    const visitor = () => signIn.visitor(changes, { header: (name) => sent[name] });
    const { value, untilMs } = visitor()?.confirmation('this') ?? { value: '', untilMs: 0 };
    expect([visitor()?.hasConfirmed('this', value), visitor()?.hasConfirmed('that', value)]).toEqual([true, false]);
    now = untilMs;
    expect(visitor()?.hasConfirmed('this', value)).toBe(false);
  });

  test('is by one of the newest links, and a link that was asked for ends after its time [gateway:D5]', () => {
    const signIn = new ConsoleSignIn('token', clock);
    const codeOf = (link: string) => new URL(link).searchParams.get('sign_in') as string;
    const works = (code: string | undefined) => signIn.signIn(code ?? '', 'h') !== undefined;
    const codes = Array.from({ length: UP_LIMITS.signInLinksMax + 1 }, () => codeOf(signIn.link('http://h')));
    expect([works(codes[0]), works(codes[1]), works(codes.at(-1))]).toEqual([false, true, true]);
    const aging = codeOf(signIn.link('http://h', UP_LIMITS.signInLinkMs));
    now += UP_LIMITS.signInLinkMs;
    expect(works(aging)).toBe(false);
  });
});

describe('in a browser', () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (existsSync(CHROMIUM)) browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    else console.log(`${CHROMIUM} is absent: the sign-in was not tried in a browser`);
  });
  afterAll(async () => browser?.close());

  test('the page keeps its key, and a page of another port gets the cookie and not the key [gateway:D5]', async () => {
    if (!browser) return;
    const cookies: (string | undefined)[] = [];
    const other = createServer((incoming, response) => {
      cookies.push(incoming.headers.cookie);
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>dev</title>');
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const page = await browser.newPage();
    await page.goto((await newLink())[1] as string);
    await page.waitForURL(`${url}/`);
    const key = await page.evaluate("localStorage.getItem('bindery_console_key')");
    const answer = await page.evaluate(
      "fetch('/v1/policy/reload', {method: 'POST', headers: {'content-type': 'application/json', 'bindery-console-key': localStorage.getItem('bindery_console_key')}, body: '{}'}).then(({status}) => status)",
    );
    expect([key, answer, await page.title()]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      200,
      expect.stringContaining('Bindery'),
    ]);
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    expect(await page.evaluate("localStorage.getItem('bindery_console_key')")).toBeNull();
    expect(await reload({ cookie: cookies[0] ?? '', origin: url, 'sec-fetch-site': 'same-origin' })).toBe(401);
    other.close();
  });
});
