import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole();
});
afterAll(() => opened.close());

test('how a client is connected stays on the overview after the first call, and the palette and the settings lead there', async () => {
  const { page } = await opened.signIn();
  await open(page, opened.bindery, 'overview');
  const snippets = page.getByRole('group', { name: 'Client' });
  const title = page.getByRole('heading', { name: 'Connect a client' });
  await snippets.waitFor();
  await callTool(opened.bindery, 'notes__list_notes', {});
  await page.reload();
  await title.waitFor();
  expect(await snippets.isVisible()).toBe(false);
  await title.click();
  await snippets.waitFor();
  await title.click();
  await snippets.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('connect');
  await page.getByRole('option', { name: 'Connect a client' }).waitFor();
  await page.keyboard.press('Enter');
  await snippets.waitFor();
  await open(page, opened.bindery, 'settings/gateway');
  await page.getByRole('link', { name: 'Connect a client' }).click();
  await snippets.waitFor();
});

test('who signed in with a key that may only read is told so', async () => {
  const { body } = await opened.bindery.api('POST', '/v1/keys', { name: 'reader', scope: 'read' });
  const page = await opened.browser.newPage();
  await open(page, opened.bindery, 'sign-in');
  await page.getByRole('banner').getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  await page.getByLabel('Link, admin token or key').fill((body as { key: string }).key);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').getByRole('link', { name: 'Signed in as reader', exact: true }).waitFor();
  const call = callTool(opened.bindery, 'notes__write_note', { name: 'a', content: 'b' });
  const needs = page.getByRole('region', { name: 'What needs you' });
  await needs.getByText('1 call waits for approval.').waitFor();
  expect(await needs.getByRole('link').allInnerTexts()).toEqual(['Look']);
  await open(page, opened.bindery, 'settings/keys');
  await page.getByText('Your key lacks the scope admin, which is needed to create or revoke keys.').waitFor();
  const waiting = await opened.bindery.api('GET', '/v1/approvals?status=pending');
  const [approval] = (waiting.body as { items: { id: string }[] }).items;
  await opened.bindery.api('POST', `/v1/approvals/${approval?.id}/decision`, { decision: 'deny' });
  await call;
});

test('what is not loaded yet is not counted, and an export without records is not called good', async () => {
  const { page } = await opened.signIn();
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route('**/v1/audit?*', (route) => held.then(() => route.continue()));
  await open(page, opened.bindery, 'audit');
  const head = page.locator('.list-head');
  await head.getByText('Loading').waitFor();
  expect(await head.getByText(/records|calls/).count()).toBe(0);
  go();
  await head.getByText(/^\d+ records?$/).waitFor();
  await page.route('**/v1/audit/export', (route) => route.fulfill({ body: '' }));
  await open(page, opened.bindery, 'audit/verify');
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByText('The export has no records: there is nothing to verify.').waitFor();
  expect(await page.getByText('every hash and link holds').count()).toBe(0);
});
