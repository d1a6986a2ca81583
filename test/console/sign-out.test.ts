import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, openConsole } from './open-console.ts';

const TOKEN = 'a-token-of-the-gateway';
let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole({}, ({ cwd }) => {
    const file = join(cwd, 'tok');
    writeFileSync(file, TOKEN);
    return ['--token-file', file];
  });
});
afterAll(() => opened.close());

/** What a page says while the gateway refuses to let it read. */
async function saysOf(page: Page) {
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('This gateway needs a sign-in, also to read.').waitFor();
  const text = await page.locator('body').innerText();
  return [/lost|not reached|Reading is open/.exec(text)?.[0], await page.locator('.count').count()];
}

test('a gateway that needs a credential to read leads to the sign-in page, and a sign-in leads to the page that was asked for', async () => {
  const context = await opened.browser.newContext();
  const page = await context.newPage();
  const refused = page.waitForResponse((answer) => answer.url().includes('/v1/events') && answer.status() === 401);
  await page.goto(`${opened.bindery.url}/#/servers`);
  await refused;
  expect(await saysOf(page)).toEqual([undefined, 0]);
  const { body } = await opened.bindery.api('POST', '/v1/keys', { name: 'reader', scope: 'read' });
  await page.getByLabel('Link, admin token or key').fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('This gateway knows no such token or key').waitFor();
  await page.getByLabel('Link, admin token or key').fill((body as { key: string }).key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Servers' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'weather' }).first().waitFor();
  await context.close();
});

test('a sign-out clears what the session read', async () => {
  const { context, page } = await opened.signIn();
  const call = callTool(opened.bindery, 'notes__write_note', { name: 'a', content: 'b' }, undefined, { key: TOKEN });
  await page.locator('.count').waitFor();
  await page.goto(`${opened.bindery.url}/#/sign-in`);
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  expect(await saysOf(page)).toEqual([undefined, 0]);
  expect([await page.title(), await page.getByRole('banner').innerText()]).toEqual([
    'Sign in · Bindery',
    expect.not.stringContaining('servers'),
  ]);
  await context.close();
  const waiting = await opened.bindery.api('GET', '/v1/approvals?status=pending');
  const [approval] = (waiting.body as { items: { id: string }[] }).items;
  await opened.bindery.api('POST', `/v1/approvals/${approval?.id}/decision`, { decision: 'deny' });
  await call;
});

test('who is signed in and the way out are in the header, in the menu of a phone, in the palette and in the settings', async () => {
  const { context, page } = await opened.signIn();
  const out = { name: /^Sign out/ };
  await page.getByRole('banner').getByRole('link', { name: 'Signed in as admin' }).waitFor();
  await page.getByRole('banner').getByRole('button', out).click();
  expect(await saysOf(page)).toEqual([undefined, 0]);
  const { body } = await opened.bindery.api('POST', '/v1/keys', { name: 'Ada', scope: 'read' });
  const enter = async () => {
    await page.getByLabel('Link, admin token or key').fill((body as { key: string }).key);
    await page.keyboard.press('Enter');
    await page.getByRole('banner').getByRole('link', { name: 'Signed in as Ada' }).waitFor();
  };
  await enter();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sign out');
  await page.getByRole('option', out).waitFor();
  await page.keyboard.press('Enter');
  expect(await saysOf(page)).toEqual([undefined, 0]);
  await enter();
  await page.goto(`${opened.bindery.url}/#/settings/gateway`);
  await page.getByRole('main').getByText('Signed in as Ada').waitFor();
  await page.getByRole('main').getByRole('button', out).click();
  expect(await saysOf(page)).toEqual([undefined, 0]);
  await enter();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'Sign out Ada' }).click();
  expect(await saysOf(page)).toEqual([undefined, 0]);
  await context.close();
});
