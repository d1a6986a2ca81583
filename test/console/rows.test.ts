import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/running-bindery.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole({}, () => [], 120_000);
  ({ page } = await opened.signIn({ viewport: { width: 390, height: 844 } }));
});
afterAll(() => opened.close());

interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

async function changed(route: Route, change: object): Promise<void> {
  const response = await route.fetch();
  const body = (await response.json()) as Listed;
  await route.fulfill({ response, json: { ...body, items: body.items.map((item) => ({ ...item, ...change })) } });
}

/** How far the text of a cell reaches over the beginning of the next cell. */
async function overlap(cell: Locator, next: Locator): Promise<number> {
  const right = await cell.evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
  const left = (await next.boundingBox())?.x ?? 0;
  return Math.max(0, Math.round(right - left));
}

test('on a phone the name of an open breaker stays in its column, in the list of servers, on the overview and in the audit log', async () => {
  await callTool(opened.bindery, 'notes__list_notes', {});
  const breaker = { state: 'open', failures: 5, retry_at: null };
  await page.route('**/v1/servers?*', (route) => changed(route, { state: 'ready', breaker }));
  await page.route('**/v1/audit?*', (route) => changed(route, { outcome: 'breaker_open' }));
  const found: number[] = [];
  for (const hash of ['servers', 'overview']) {
    await open(page, opened.bindery, hash);
    await page.reload();
    const row = page.getByRole('main').getByRole('row').filter({ hasText: 'Breaker open' }).first();
    await row.waitFor();
    found.push(await overlap(row.locator('td').nth(0), row.locator('td').nth(1)));
  }
  await open(page, opened.bindery, 'audit');
  const row = page.getByRole('table', { name: 'Calls' }).locator('.row').filter({ hasText: 'breaker open' }).first();
  await row.waitFor();
  found.push(await overlap(row.locator('> *').nth(1), row.locator('> *').nth(2)));
  await page.unrouteAll();
  expect(found).toEqual([0, 0, 0]);
});

test('calls of the same tool that wait are told apart by their arguments, in the list and in the palette', async () => {
  const call = (to: string) =>
    callTool(opened.bindery, 'notes__write_note', { name: to, content: `a\u202e${'x'.repeat(900)}` });
  const calls = [call('ada'), call('grace')];
  await until('both wait', async () => {
    const { body } = await opened.bindery.api('GET', '/v1/approvals?status=pending');
    return (body as Listed).items.length === 2;
  });
  await page.setViewportSize({ width: 1_280, height: 800 });
  await open(page, opened.bindery, 'approvals');
  const rows = page.locator('.inbox li');
  await rows.nth(1).waitFor();
  const texts = await rows.allInnerTexts();
  expect(
    texts.map((text) => [/name: "(\w+)"/.exec(text)?.[1], /waits \d/.test(text), /\d\W\w+ left to decide/.test(text)]),
  ).toEqual(
    expect.arrayContaining([
      ['ada', true, true],
      ['grace', true, true],
    ]),
  );
  expect([await rows.first().locator('.hidden-character').allTextContents(), (texts[0] ?? '').length < 300]).toEqual([
    ['U+202E'],
    true,
  ]);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('grace');
  const option = page.getByRole('dialog').getByRole('option').first();
  await option.getByText('name: "grace"').waitFor();
  await option.getByText(/waits \d+.\w+ for approval/).waitFor();
  await page.keyboard.press('Escape');
  for (const { id } of ((await opened.bindery.api('GET', '/v1/approvals?status=pending')).body as Listed).items)
    await opened.bindery.api('POST', `/v1/approvals/${String(id)}/decision`, { decision: 'deny' });
  await Promise.all(calls);
});
