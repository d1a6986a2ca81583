import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/repository.ts';
import { commandLine } from '../support/running-bindery.ts';
import { violations } from './axe.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';
import { PAGES } from './page-list.ts';

const BUNDLE_BYTES_MAX = 150 * 1024;

let opened: OpenedConsole;
let waiting: Promise<unknown>;
beforeAll(async () => {
  const samples = (name: string) => join(root, 'samples', name);
  const flags = ['--zones', samples('zones'), '--corpus', samples('corpus'), '--providers', samples('providers.yaml')];
  const caches = mkdtempSync(join(tmpdir(), 'bindery-caches-'));
  const build = ['context', 'build', '--sources', samples('handbook'), '--cache', join(caches, 'handbook')];
  spawnSync(process.execPath, commandLine(...build));
  opened = await openConsole({}, () => [...flags, '--caches', caches]);
  await callTool(opened.bindery, 'printer__print_page', { content: 'x' });
  waiting = callTool(opened.bindery, 'notes__write_note', { name: 'a', content: 'b' });
});
afterAll(async () => {
  await opened.close();
  await waiting.catch(() => undefined);
});

test.each([
  ['light', 1_280],
  ['dark', 1_280],
  ['light', 390],
] as const)('no page has a serious fault of accessibility in the %s theme at %i pixels', async (theme, width) => {
  const { context, page } = await opened.signIn({ colorScheme: theme, viewport: { width, height: 800 } });
  const faults: string[] = [];
  for (const hash of PAGES) {
    await open(page, opened.bindery, hash);
    faults.push(...(await violations(page)).map((fault) => `${hash} ${fault}`));
  }
  await context.close();
  expect(faults).toEqual([]);
});

/** Tables whose rows become lines on a phone, and which have to be scrolled to the side nevertheless. */
const CUT_TABLES = `[...document.querySelectorAll('main .scroll:has(table.fold)')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent.slice(0, 80))`;

test('no page is wider than a phone, asks another host for anything, or breaks its content security policy', async () => {
  const { context, page } = await opened.signIn({ viewport: { width: 390, height: 844 } });
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(opened.bindery.url)) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  const wide: string[] = [];
  for (const hash of PAGES) {
    await open(page, opened.bindery, hash);
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(hash);
    wide.push(...(await page.evaluate<string[]>(CUT_TABLES)).map((table) => `${hash}: ${table}`));
  }
  await context.close();
  expect([wide, foreign, complaints]).toEqual([[], [], []]);
});

test('browsers get the console with a strict policy, programs get the text, and files are kept by their digest', async () => {
  const { url } = opened.bindery;
  const browser = await fetch(url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  const page = await browser.text();
  const policy = browser.headers.get('content-security-policy') ?? '';
  expect([/unsafe|\*|https?:/.test(policy), /<script(?! type="module" crossorigin src=)|style=/.test(page)]).toEqual([
    false,
    false,
  ]);
  const [asset] = /\/console\/assets\/[\w-]+\.js/.exec(page) ?? [''];
  const file = await fetch(`${url}${asset}`);
  expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  const missing = await Promise.all(
    ['/console/assets/../../../package.json', '/console/nothing.js', '/console/index.html'].map(
      async (path) => (await fetch(`${url}${path}`)).status,
    ),
  );
  expect(missing).toEqual([404, 404, 404]);
  const program = await (await fetch(url)).text();
  expect([program.includes('What runs'), page.includes('What runs')]).toEqual([true, false]);
});

test('whoever has not signed in sees and changes nothing, and signs in with the admin token, which no URL holds', async () => {
  const context = await opened.browser.newContext();
  const page = await context.newPage();
  await open(page, opened.bindery, 'approvals');
  await page.getByText('Sign in as admin to decide.').waitFor();
  expect(await page.getByRole('button', { name: 'Approve once' }).count()).toBe(0);
  const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime");
  console.log(`console: first paint after ${Math.round(Number(paint))} ms, from a cold cache`);
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Link, admin token or key').fill(opened.bindery.admin());
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  await open(page, opened.bindery, 'sign-in');
  await page.getByText('You are signed in.').waitFor();
  expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
  expect(addresses.filter((address) => address.includes(opened.bindery.admin()))).toEqual([]);
  expect(page.url().includes('sign_in')).toBe(false);
  await context.close();
});

/** What a person cannot reach or cannot see that they reached it: of what can be pressed, by its HTML. */
const UNREACHABLE = `(() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled;
  const pressable = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(isShown);
  // The view library keeps the listeners of an element beside it.
  const listening = [...document.querySelectorAll('*')].filter((element) => element.__e?.onClick && isShown(element));
  const ringOf = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  };
  const faults = [...new Set([...pressable, ...listening])].filter((element) => {
    if (element.matches('[role=option], dialog')) return false;
    element.focus();
    return document.activeElement !== element || !ringOf(element);
  });
  return { listening: listening.length, faults: faults.map((element) => element.outerHTML.slice(0, 120)) };
})()`;

test('everything that can be pressed is reached by the keyboard, and shows that it is', async () => {
  const { context, page } = await opened.signIn({ viewport: { width: 1_280, height: 800 } });
  const faults: string[] = [];
  let listening = 0;
  for (const hash of PAGES) {
    await open(page, opened.bindery, hash);
    await page.keyboard.press('Tab');
    const found = (await page.evaluate(UNREACHABLE)) as { listening: number; faults: string[] };
    listening += found.listening;
    faults.push(...found.faults.map((fault) => `${hash} ${fault}`));
  }
  await context.close();
  expect([faults, listening > PAGES.length]).toEqual([[], true]);
});

const FOCUS_IN = `document.activeElement === document.body
  ? 'BODY element'
  : document.activeElement.closest('dialog, body').tagName`;

test('a dialog keeps the focus, and gives it back to what opened it', async () => {
  const { context, page } = await opened.signIn({ viewport: { width: 1_280, height: 800 } });
  const places = new Set<string>();
  for (const [hash, name] of [
    ['settings/keys', 'Create key'],
    ['overview', 'Search or jump to'],
    ['approvals', 'Deny…'],
  ] as const) {
    await open(page, opened.bindery, hash);
    const opener = page.getByRole('button', { name });
    await opener.and(page.locator(':enabled')).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      places.add(String(await page.evaluate(FOCUS_IN)));
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => opener.evaluate((element) => element.matches(':focus'))).toBe(true);
  }
  await context.close();
  // Between its last and its first element the focus is at the browser itself, which is no element of the page.
  expect([...places].filter((place) => place !== 'BODY element')).toEqual(['DIALOG']);
});

/** Words of buttons that change something, on whatever page. */
const CHANGES =
  /^(Approve|Deny|Accept|Reject|Create|Revoke|Clear$|Remove|Disable|Enable|Reconnect|Test|Trust|Save|Review change|Add|Build|Claim|Undo|Revert|Call|Release|Dismiss|Uphold|Choose|reveal|Show the exact|Sign in$)/;

test('a key that may only read sees every page and no button that changes something', async () => {
  const created = await opened.bindery.api('POST', '/v1/keys', { name: 'reader', scope: 'read' });
  const { key } = created.body as { key: string };
  const context = await opened.browser.newContext();
  await context.addInitScript(`sessionStorage.setItem('bindery_console_token', ${JSON.stringify(key)})`);
  const page = await context.newPage();
  const seen: string[] = [];
  for (const hash of PAGES.filter((one) => one !== 'sign-in')) {
    await open(page, opened.bindery, hash);
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    const boxes = await page.getByRole('main').locator('input[type=checkbox][aria-label^=Choose]').count();
    seen.push(...names.filter((name) => CHANGES.test(name.trim())).map((name) => `${hash}: ${name}`));
    if (boxes > 0) seen.push(`${hash}: ${boxes} boxes`);
  }
  const role = (await opened.bindery.api('GET', '/v1/session', undefined, `Bearer ${key}`)).body as { role: string };
  await context.close();
  expect([seen, role.role]).toEqual([[], 'reader']);
});

test('the whole console is small', () => {
  const folder = join(root, 'dist', 'console');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce(
    (sum, { parentPath, name }) => sum + gzipSync(readFileSync(join(parentPath, name))).length,
    0,
  );
  console.log(`console: ${bytes} bytes gzipped`);
  expect(bytes).toBeLessThanOrEqual(BUNDLE_BYTES_MAX);
});
