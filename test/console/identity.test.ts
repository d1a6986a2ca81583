import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/repository.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';
import { PAGES } from './page-list.ts';

let opened: OpenedConsole;
beforeAll(async () => {
  const absent = { transport: 'stdio', command: '/no/such/program' };
  opened = await openConsole({ absent }, () => [], 20_000, { profiles: { work: { servers: ['notes'] } } });
  await callTool(opened.bindery, 'printer__print_page', { content: 'x' });
});
afterAll(() => opened.close());

async function createKey(name: string, scope: string, profile: readonly string[] = []) {
  const { body } = await opened.bindery.api('POST', '/v1/keys', { name, scope, profile });
  return body as { readonly key: string; readonly id: string };
}

async function enter(page: Page, key: string): Promise<void> {
  await open(page, opened.bindery, 'sign-in');
  await page.getByLabel('Link, admin token or key').fill(key);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/#\/overview$/);
  await page
    .getByRole('banner')
    .getByRole('link', { name: /^Signed in as/ })
    .waitFor();
}

const textOf = (page: Page) => page.locator('body').innerText();
/** The gateway of this test serves no names and no corpus. */
const SERVED = PAGES.filter((one) => !/^(sign-in|names|civic)/.test(one));
/** Servers that are not of the profile. */
const FOREIGN = /printer|weather|absent/;

test('after another identity has signed in, nothing of the one before is shown, on no page and not in the palette', async () => {
  const { key } = await createKey('worker', 'read,call', ['work']);
  const { context, page } = await opened.signIn();
  for (const hash of ['servers', 'tools', 'audit', 'policy', 'overview']) await open(page, opened.bindery, hash);
  await page.getByRole('navigation').locator('.count').first().waitFor();
  await page.getByText('absent is failing.').waitFor();
  await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click();
  await enter(page, key);
  await page.getByRole('banner').getByRole('link', { name: 'Signed in as worker' }).waitFor();
  const seen: string[] = [];
  for (const hash of ['overview', 'tools', 'audit', 'approvals']) {
    await page.evaluate(`location.hash = '#/${hash}'`);
    await page.getByRole('main').locator('h1').first().waitFor();
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    const found = FOREIGN.exec(await textOf(page));
    if (found) seen.push(`${hash}: ${found[0]}`);
    if ((await page.getByRole('navigation').locator('.count').count()) > 0) seen.push(`${hash}: a count`);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('print');
  await page.getByRole('dialog').getByRole('option').first().waitFor();
  const options = await page.getByRole('dialog').getByRole('option').allInnerTexts();
  expect([seen, options.filter((one) => /printer/.test(one))]).toEqual([[], []]);
  await context.close();
});

/** Stores that live as long as the page are made by `perSession`, `perBrowser` or `sourcePerSession`, so that none is forgotten. */
const UNREGISTERED = /^(?:export )?(?:const|let) \w+(?:: [^=]+)? = (?:signal|new Source)\b/m;

test('every store says whether it belongs to the session or to the browser', () => {
  const folder = join(root, 'console', 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const unregistered = files.filter((name) => UNREGISTERED.test(readFileSync(join(folder, name), 'utf8')));
  expect([unregistered, files.length > 80]).toEqual([[], true]);
});

test('a key of a profile has the pages of its profile, and the others say once in plain words why not', async () => {
  const { key } = await createKey('bound', 'admin,read,call', ['work']);
  const page = await opened.browser.newPage();
  await enter(page, key);
  const entries = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
  const faults: string[] = [];
  for (const hash of SERVED) {
    await open(page, opened.bindery, hash);
    const text = await page.getByRole('main').innerText();
    if (
      /PROFILE_BOUND|ADMIN_REQUIRED|maintainer_required|Try again|Add server|Create key|Verify the chain|Verify in this browser|Export the whole log/.test(
        text,
      )
    )
      faults.push(`${hash}: ${text}`);
  }
  await open(page, opened.bindery, 'overview');
  const own = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'notes' }) });
  await own.getByText('4', { exact: true }).waitFor();
  await open(page, opened.bindery, 'servers');
  await page.getByText('This key is bound to the profile work.').waitFor();
  expect([entries.map((one) => one.trim()).filter((one) => /Servers|Policy/.test(one)), faults]).toEqual([[], []]);
  await page.close();
});

test('a key with the scope admin is not offered what only the admin token or a sign-in may do', async () => {
  const { key } = await createKey('keeper', 'admin');
  const page = await opened.browser.newPage();
  await enter(page, key);
  const faults: string[] = [];
  for (const hash of SERVED) {
    await open(page, opened.bindery, hash);
    const main = page.getByRole('main');
    const names = [
      ...(await main.getByRole('button').allInnerTexts()),
      ...(await main.locator('a.button').allInnerTexts()),
    ].filter((name) => /^(Add server|Create key|Revoke|Review change|Build a cache|Remove|Test$)/.test(name.trim()));
    faults.push(...names.map((name) => `${hash}: ${name}`));
    if (/ADMIN_REQUIRED|maintainer_required/.test(await main.innerText())) faults.push(`${hash}: refused`);
  }
  await open(page, opened.bindery, 'settings/keys');
  await page.getByText('A key may not create or revoke keys: this needs the admin token or a sign-in.').waitFor();
  const { body } = await opened.bindery.api('GET', '/v1/session', undefined, `Bearer ${key}`);
  expect([faults, body]).toEqual([[], expect.objectContaining({ role: 'admin', owner: false, name: 'keeper' })]);
  await page.close();
});

test('a credential that works no longer is named, and nothing is decided with it', async () => {
  const { key, id } = await createKey('leaving', 'admin,read');
  const page = await opened.browser.newPage();
  await enter(page, key);
  const call = callTool(opened.bindery, 'notes__write_note', { name: 'a', content: 'b' });
  await open(page, opened.bindery, 'approvals');
  await page.getByRole('button', { name: 'Approve once' }).and(page.locator(':enabled')).waitFor();
  expect((await opened.bindery.api('DELETE', `/v1/keys/${id}`)).status).toBe(200);
  await page.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('alert').getByText('Your sign-in has ended.').waitFor();
  expect(await page.getByRole('button', { name: /Approve once|Deny/ }).count()).toBe(0);
  await page.close();
  const waiting = await opened.bindery.api('GET', '/v1/approvals?status=pending');
  const [approval] = (waiting.body as { items: { id: string }[] }).items;
  await opened.bindery.api('POST', `/v1/approvals/${approval?.id}/decision`, { decision: 'deny' });
  await call;
});
