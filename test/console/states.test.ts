import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
let page: Page;
beforeAll(async () => {
  // A client does not wait long here.
  opened = await openConsole({}, undefined, 200);
  ({ page } = await opened.signIn());
});
afterAll(() => opened.close());
const button = (name: string | RegExp) => page.getByRole('button', { name });
const show = (hash: string) => open(page, opened.bindery, hash);
const write = { name: 'kept', content: 'a\u202eb' };
const answerOf = async () => JSON.stringify(await callTool(opened.bindery, 'notes__write_note', write));

test('an approval whose client has left says that the call must be repeated, and then that it ran', async () => {
  expect(await answerOf()).toContain('APPROVAL_PENDING');
  await show('approvals');
  expect(await page.locator('.json .hidden-character').allTextContents()).toEqual(['U+202E']);
  await button('Approve once').click();
  await page.getByText(/It has to repeat the same call; the approval is kept for it for \d/).waitFor();
  expect(await answerOf()).toContain('wrote kept');
  await page.getByText('The call ran with this approval').waitFor();
  expect(await page.getByRole('article').locator('p .badge.ok').textContent()).toBe('ok');
});

test('a call that no person decided is counted apart from what was denied, and each figure leads to its calls', async () => {
  await callTool(opened.bindery, 'notes__write_note', { name: 'other', content: '' });
  await callTool(opened.bindery, 'notes__delete_note', { name: 'ideas' });
  await callTool(opened.bindery, 'printer__print_page', { content: 'x' });
  await show('overview');
  const seen: Record<string, string[]> = {};
  for (const name of ['Undecided', 'Denied', 'Errors']) {
    await show('overview');
    await page
      .getByRole('list', { name: 'Figures' })
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .click();
    const rows = page.getByRole('table', { name: 'Calls' }).locator('[role=row], tr').filter({ hasText: ' / ' });
    await rows.first().waitFor();
    seen[name] = await rows.locator('.badge').allTextContents();
  }
  await show('audit?outcome=denied');
  const deniedRows = page.getByRole('table', { name: 'Calls' }).locator('[role=row], tr').filter({ hasText: ' / ' });
  await deniedRows.first().waitFor();
  const asked = await opened.bindery.api('GET', '/v1/audit?outcome=denied');
  expect([
    (await deniedRows.locator('.badge').allTextContents()).sort(),
    (asked.body as { items: object[] }).items.length,
  ]).toEqual([['denied', 'undecided', 'undecided'], 3]);
  const { body } = await opened.bindery.api('GET', '/v1/audit/summary');
  const { failed, denied, undecided, p95_us } = (body as { total: Record<string, number> }).total;
  expect([seen, failed, denied, undecided, (p95_us ?? 0) > 0]).toEqual([
    { Undecided: ['undecided', 'undecided'], Denied: ['denied'], Errors: ['tool error'] },
    ...[1, 1, 2, true],
  ]);
});

test('a policy that is being written stays when one looks elsewhere, and when another hand saves the file', async () => {
  await show('policy/edit');
  const field = page.getByRole('textbox', { name: 'Text of the policy' });
  const before = await field.inputValue();
  const mine = before.replace(/\s*"search_notes",/, '');
  await field.fill(mine);
  await page.getByRole('link', { name: 'Matrix' }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  expect(await field.inputValue()).toBe(mine);
  await page.getByText('No findings').waitFor();
  await button('Review change').click();
  await page.getByRole('dialog').waitFor();
  const theirs = before.replace('A person looks first.', 'Two people look.');
  writeFileSync(opened.policyFile, theirs);
  await page.getByRole('dialog').getByText('This file was changed elsewhere').waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Save and put in force' }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  expect([await field.inputValue(), await button('Review change').isDisabled()]).toEqual([mine, true]);
  await button('Compare mine with the new file').click();
  await button('Review change').click();
  await page.getByRole('dialog').getByText('Two people look.').first().waitFor();
  expect(readFileSync(opened.policyFile, 'utf8')).toBe(theirs);
  await page.keyboard.press('Escape');
  await button('Discard').click();
  expect(await field.inputValue()).toBe(theirs);
});

test('a token that this gateway does not know is refused, and not kept', async () => {
  const context = await opened.browser.newContext();
  const stranger = await context.newPage();
  for (const given of ['wrong', 'bk_wrong']) {
    await open(stranger, opened.bindery, 'sign-in');
    await stranger.getByLabel('Link, admin token or key').fill(given);
    await stranger.keyboard.press('Enter');
    await stranger.getByRole('alert').getByText('This gateway knows no such token or key').waitFor();
    expect([await stranger.evaluate('sessionStorage.length'), new URL(stranger.url()).hash]).toEqual([0, '#/sign-in']);
    await stranger.reload();
  }
  await context.close();
});

test('a browser that refuses notifications has the page say so', async () => {
  const context = await opened.browser.newContext({ permissions: [] });
  const other = await context.newPage();
  await other.addInitScript("Notification.requestPermission = () => Promise.resolve('denied')");
  await open(other, opened.bindery, 'approvals');
  await other.getByRole('button', { name: 'Notify me' }).click();
  await other.getByText(/The browser refuses notifications/).waitFor();
  await context.close();
});
