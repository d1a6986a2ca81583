import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violations } from './axe.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
  ({ page } = await opened.signIn());
});
afterAll(() => opened.close());
const show = (hash: string) => open(page, opened.bindery, hash);
const main = () => page.getByRole('main');

test('a range without calls has no share of errors and no axes', async () => {
  await show('overview');
  await main().getByText('No call in this range.').waitFor();
  const errors = page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: /^Errors/ });
  expect([await errors.locator('.figure').textContent(), await main().locator('.chart').count()]).toEqual(['–', 0]);
});

test('figures that are still loading are no zeros', async () => {
  const held: (() => void)[] = [];
  let isHeld = true;
  await page.route(/\/v1\/(audit\/summary|tools\/cost)/, async (route) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  const row = () => main().locator('tr').filter({ hasText: 'weather' }).locator('td.number');
  await page.goto(`${opened.bindery.url}/#/servers`);
  await row().first().waitFor();
  expect((await row().allTextContents()).slice(1)).toEqual(['', '', '']);
  expect(await row().locator('.unknown').count()).toBe(3);
  isHeld = false;
  for (const go of held) go();
  await expect.poll(async () => (await row().allTextContents()).slice(2)).toEqual(['0', '–']);
  await page.unroute(/\/v1\/(audit\/summary|tools\/cost)/);
});

test('the audit is filtered while one types, by a part of the client or of the tool, and each filter can be taken away', async () => {
  await callTool(opened.bindery, 'weather__forecast', {}, { name: 'Night Agent', version: '1' });
  await callTool(opened.bindery, 'notes__list_notes', {}, { name: 'other', version: '1' });
  await show('audit?kind=call');
  const rows = () => page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: ' / ' });
  await expect.poll(() => rows().count()).toBe(2);
  await page.getByLabel('Caller').pressSequentially('night');
  await expect.poll(() => rows().allInnerTexts()).toEqual([expect.stringContaining('weather')]);
  const chips = page.getByRole('list', { name: 'Active filters' });
  await chips.getByRole('button', { name: 'Remove Caller night' }).click();
  await expect.poll(() => rows().count()).toBe(2);
  expect(await page.getByLabel('Caller').inputValue()).toBe('');
  const tool = page.getByRole('textbox', { name: 'Tool' });
  await tool.pressSequentially('LI');
  await chips.getByRole('button', { name: 'Remove Tool LI' }).waitFor();
  await tool.pressSequentially('ST');
  await expect.poll(() => rows().allInnerTexts()).toEqual([expect.stringContaining('list_notes')]);
  expect(await violations(page)).toEqual([]);
});

test('what is typed stays while the filter of what was typed before takes effect', async () => {
  const { page: still } = await opened.signIn();
  await still.clock.install();
  await still.goto('about:blank');
  await open(still, opened.bindery, 'audit');
  await still.clock.pauseAt(Date.now() + 3_600);
  const tool = still.getByRole('textbox', { name: 'Tool' });
  await tool.pressSequentially('L');
  await still.clock.runFor(250);
  await tool.pressSequentially('I');
  await still.clock.runFor(100);
  expect([await tool.inputValue(), new URL(still.url()).hash]).toEqual(['LI', '#/audit?tool_part=L']);
});

test('the name of a key finds its calls', async () => {
  const { body } = await opened.bindery.api('POST', '/v1/keys', { name: 'alice', scope: 'call', profile: [] });
  const { key } = body as { key: string };
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${key}` };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  };
  const params = { name: 'notes__list_notes', arguments: {}, _meta };
  const more = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': params.name };
  const sent = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const answer = await (
    await fetch(opened.bindery.mcpUrl, { method: 'POST', headers: { ...headers, ...more }, body: sent })
  ).text();
  expect(answer).toContain('result');
  const { items } = (await opened.bindery.api('GET', '/v1/audit?kind=call')).body as { items: { caller: string }[] };
  expect(items[0]?.caller).toMatch(/^key:/);
  await show('audit?kind=call&who=alice');
  const rows = page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: 'alice' });
  await expect.poll(() => rows.count()).toBe(1);
});

test('the matrix is narrowed by name and by decision', async () => {
  await show('policy');
  const cells = () => page.getByRole('table', { name: 'Matrix' }).locator('button.verdict');
  await page.getByRole('button', { name: /^Asks/ }).click();
  await expect.poll(() => cells().allInnerTexts()).toEqual([expect.stringContaining('write_note')]);
  await page.getByRole('button', { name: /^Asks/ }).click();
  await page.getByLabel('Server or tool').fill('weather');
  await expect.poll(async () => (await cells().allInnerTexts()).some((text) => text.includes('note'))).toBe(false);
  expect(await cells().count()).toBeGreaterThan(0);
  expect(await violations(page)).toEqual([]);
});

test('an address of a tool, a server or a section that is not there says so, with a next step', async () => {
  await show('servers/nonexist');
  await main().getByText('There is no server with the name nonexist.').waitFor();
  expect([await main().locator('h1').innerText(), await main().getByRole('button').count()]).toEqual([
    'No such server',
    0,
  ]);
  await main().getByRole('link', { name: 'See all servers' }).click();
  await main().getByRole('link', { name: 'weather' }).first().waitFor();
  await show('tools/notes__nothing');
  expect(await main().locator('h1').innerText()).toBe('No such tool');
  await main().getByRole('link', { name: 'Look in the catalogue' }).waitFor();
  await show('settings/doctor');
  await main().getByText('Settings have no section doctor.').waitFor();
  await show('sign-in');
  await main().getByRole('button', { name: 'Sign out' }).click();
  expect(await main().locator('code').first().innerText()).toBe('bindery console');
});
