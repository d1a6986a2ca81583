import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { violations } from './axe.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
let page: Page;
let fixture: RunningFixture;
beforeAll(async () => {
  [opened, fixture] = await Promise.all([openConsole(), startModernFixture()]);
  ({ page } = await opened.signIn());
});
afterAll(async () => {
  await opened.close();
  await fixture.close();
});
const button = (name: string | RegExp) => page.getByRole('button', { name });
const show = (hash: string) => open(page, opened.bindery, hash);

test('a call that waits is approved in the browser, and the client gets its answer', async () => {
  await show('approvals');
  const answer = callTool(opened.bindery, 'notes__write_note', { name: 'a', content: 'the words of an agent' });
  const detail = page.getByRole('article');
  await detail.getByText('"the words of an agent"').waitFor();
  expect(await page.title()).toBe('(1) Approvals · Bindery');
  expect(await detail.getByText('A person looks first.').count()).toBe(1);
  await button('Approve once').click();
  expect(await answer).toMatchObject({ content: [{ text: 'wrote a: 21 characters' }] });
  await page.getByText('Nothing waits for a decision.').waitFor();
});

/** A key counts once the call has been on the screen for a moment: then the buttons say so as well. */
const press = async (key: string) => {
  await page.getByRole('article').locator('button.danger:enabled').waitFor();
  await page.keyboard.press(key);
};

test('keys move between calls, approve and deny, and the reason reaches the client', async () => {
  await show('approvals');
  const first = callTool(opened.bindery, 'notes__write_note', { name: 'first', content: '1' });
  await page.getByRole('article').getByText('"first"').waitFor();
  const second = callTool(opened.bindery, 'notes__write_note', { name: 'second', content: '2' });
  // What was decided a moment ago is listed too, and cannot be chosen.
  await page.locator('.inbox li input:not(:disabled)').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('article').getByText('"second"').waitFor();
  await press('d');
  await page.getByRole('dialog').getByRole('textbox').fill('not this one');
  await page.getByRole('dialog').getByRole('button', { name: 'Deny', exact: true }).click();
  expect(JSON.stringify(await second)).toContain('not this one');
  await page
    .getByRole('article')
    .getByText(/^Decided by/)
    .waitFor();
  // Keys of the page rest while a dialog is open.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('k');
  await page.getByRole('article').getByText('"first"').waitFor();
  await press('a');
  expect(await first).toMatchObject({ content: [{ text: 'wrote first: 1 characters' }] });
  await page.getByText('Nothing waits for a decision.').waitFor();
});

test('a list that was asked for before a call came does not hide the call', async () => {
  await show('approvals');
  let answerOld = () => {};
  const later = new Promise<void>((resolve) => {
    answerOld = resolve;
  });
  await page.route(
    '**/v1/approvals?*',
    async (route) => {
      await later;
      await route.fulfill({ json: { items: [], next_cursor: null } });
    },
    { times: 1 },
  );
  await page.reload();
  await page.locator('.skeleton').first().waitFor();
  const call = callTool(opened.bindery, 'notes__write_note', { name: 'late', content: 'l' });
  await page.locator('.inbox li').filter({ hasText: 'write_note' }).first().waitFor();
  answerOld();
  await page.getByRole('article').getByText('"late"').waitFor();
  await button('Approve once').click();
  expect(JSON.stringify(await call)).toContain('wrote late');
});

test('several calls are decided at once', async () => {
  await show('approvals');
  const calls = ['x', 'y'].map((name) => callTool(opened.bindery, 'notes__write_note', { name, content: name }));
  await page.locator('.inbox li input:not(:disabled)').nth(1).waitFor();
  for (const box of await page.locator('.inbox input:not(:disabled)').all()) await box.check();
  await button('Approve 2…').click();
  await button('Approve 2 once').click();
  expect((await Promise.all(calls)).map((answer) => JSON.stringify(answer).includes('wrote'))).toEqual([true, true]);
});

test('the overview says what runs, and a figure leads to the calls behind it', async () => {
  await callTool(opened.bindery, 'weather__forecast', { town: 'Eastmere' });
  await show('overview');
  await page.getByText('Nothing needs you.').waitFor();
  expect(
    await page
      .getByRole('row', { name: /weather/ })
      .getByText('Ready')
      .count(),
  ).toBe(1);
  await page
    .getByRole('row', { name: /weather/ })
    .getByRole('link', { name: '1', exact: true })
    .click();
  await page.getByRole('table', { name: 'Calls' }).getByText('weather / forecast').waitFor();
});

test('a program that cannot be started says so before anything is written', async () => {
  await show('servers/add/new');
  await page.getByRole('textbox', { name: /URL, command/ }).fill('no-such-program-at-all --now');
  await button('Test').click();
  const steps = page.locator('.test-steps');
  await steps.locator('.badge.failed').getByText('Connect').waitFor();
  await button('Add nevertheless').waitFor();
  const config = readFileSync(join(opened.home.dir, '.bindery', 'config.json'), 'utf8');
  expect(config.includes('no-such-program')).toBe(false);
});

test('a server is tested by its URL, added, disabled and removed', async () => {
  await show('servers/add/new');
  await page.getByRole('textbox', { name: /URL, command/ }).fill(fixture.url);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('added');
  await button('Test').click();
  await page.getByText(/3 tools/).waitFor();
  expect(await page.locator('.test-steps .badge.ok').allTextContents()).toEqual([
    'Connect',
    'Initialize',
    'List tools',
  ]);
  await page.getByRole('main').getByRole('button', { name: 'Add server' }).click();
  await page.getByText('added was added.').waitFor();
  await page.getByRole('textbox', { name: /URL, command/ }).fill('https://other.example/mcp');
  await button('Test').waitFor();
  expect(await page.getByText('added was added.').count()).toBe(0);
  await show('servers/added');
  await button('Disable').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Disabled', { exact: true }).waitFor();
  await button('Remove').click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('added');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.waitForURL(/#\/servers$/);
  const config = readFileSync(join(opened.home.dir, '.bindery', 'config.json'), 'utf8');
  expect(config.includes('"added"')).toBe(false);
});

test('a tool is found as an agent finds it, and called with a form through policy and audit', async () => {
  await show('tools/find');
  await page.getByRole('textbox').fill('find a word in notes');
  await button('Find').click();
  await page.locator('.reason').getByText('in its name').first().waitFor();
  await page.getByRole('link', { name: 'notes__search_notes' }).click();
  await page.getByRole('textbox', { name: /word/ }).fill('river');
  await button('Call').click();
  await page.getByText('It answered').waitFor();
  await show('audit?tool=search_notes');
  await page.getByRole('table', { name: 'Calls' }).getByText('notes / search_notes').first().click();
  await page.getByRole('dialog').getByText('"river"').first().waitFor();
  expect(
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /Server/ })
      .count(),
  ).toBe(1);
});

test('the chain is verified in the browser, which notices a record that was changed on the way', async () => {
  await show('audit/verify');
  await button('Verify in this browser').click();
  await page.getByText(/records: every hash and link holds/).waitFor();
  await page.route('**/v1/audit/export', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('"caller":"local"', '"caller":"other"');
    await route.fulfill({ response, body });
  });
  await button('Verify in this browser').click();
  await page.getByText('the hash is not that of the text').waitFor();
  await page.getByText('note no heads of this').waitFor();
  expect(await page.getByText('Note the heads elsewhere').count()).toBe(0);
  await page.unroute('**/v1/audit/export');
});

test('a policy is edited with its findings, reviewed with what would change, and saved with a backup', async () => {
  await show('policy/edit');
  const field = page.getByRole('textbox', { name: 'Text of the policy' });
  const before = await field.inputValue();
  await field.fill(before.replace('"read_note",', '"read_note",,'));
  await page
    .getByText(/line \d+/)
    .first()
    .waitFor();
  expect([await button('Review change').isDisabled(), await violations(page)]).toEqual([true, []]);
  await field.fill(before.replace(/\s*"search_notes",/, ''));
  await page.getByText('No findings').waitFor();
  await button('Review change').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('notes / search_notes').waitFor();
  await dialog.getByRole('button', { name: 'Save and put in force' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(readFileSync(opened.policyFile, 'utf8').includes('search_notes')).toBe(false);
  const [backup] = readdirSync(join(opened.home.dataDir, 'backups', 'policy'));
  expect(readFileSync(join(opened.home.dataDir, 'backups', 'policy', backup as string), 'utf8')).toBe(before);
  await show('policy');
  await page.getByRole('button', { name: /search_notes/ }).click();
  await page.getByText('the tool is not in the list of its server').waitFor();
});

test('a key is created, shown once, and revoked', async () => {
  await show('settings/keys');
  await button('Create key').click();
  await page.getByRole('textbox', { name: 'What is it for?' }).fill('my agent');
  await page.getByRole('dialog').getByRole('checkbox', { name: 'default' }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  expect(await page.getByRole('dialog').locator('pre').textContent()).toMatch(/^bk_/);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page
    .getByRole('row', { name: /my agent/ })
    .getByText('default', { exact: true })
    .waitFor();
  await page
    .getByRole('row', { name: /my agent/ })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByRole('dialog').getByRole('textbox').fill('my agent');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page
    .getByRole('row', { name: /my agent/ })
    .getByText('revoked')
    .waitFor();
});

test('the palette jumps to a tool, and a question mark shows the keys', async () => {
  await show('overview');
  await page.keyboard.press('Control+k');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('forecast');
  await page.getByRole('option', { name: /weather \/ forecast/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'forecast' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('main').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
