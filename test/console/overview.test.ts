import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestModern } from '../support/raw-client.ts';
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

test.each(['all', 'search', 'auto'])(
  'under the exposure %s the tokens are those of the list that a client gets',
  async (exposure) => {
    const under = await openConsole({}, () => [], 20_000, { exposure });
    const { body } = await under.bindery.api('GET', '/v1/tools/cost?limit=1');
    const { exposures } = body as { exposures: Record<string, { tools: number; tokens: number }> };
    const listed = exposures[exposure] ?? { tools: 0, tokens: 0 };
    const tools = await listTools(under);
    const { page } = await under.signIn();
    await open(page, under.bindery, 'tools');
    await page.getByText(`A client sees ${listed.tools} tools for`).waitFor();
    await open(page, under.bindery, 'overview');
    const tile = page
      .getByRole('list', { name: 'Figures' })
      .getByRole('listitem')
      .filter({ hasText: 'Tokens a client sees' });
    await tile.getByRole('link', { name: `gateway.exposure: ${exposure}` }).waitFor();
    const figure = await tile.locator('.figure').innerText();
    await tile.getByRole('link', { name: /^gateway.exposure/ }).click();
    await page.getByRole('main').getByText('gateway.exposure', { exact: true }).first().waitFor();
    await under.close();
    expect([tools, figure]).toEqual([listed.tools, shownTokens(listed.tokens)]);
  },
);

const shownTokens = (some: number) => (some < 1_000 ? String(some) : `${(some / 1_000).toFixed(1)}k`);

/** How many tools a client is offered. */
async function listTools({ bindery }: OpenedConsole): Promise<number> {
  const { result } = await requestModern(bindery.mcpUrl, 'tools/list', {});
  return (result as { tools: unknown[] }).tools.length;
}
