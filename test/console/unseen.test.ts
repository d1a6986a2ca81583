import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/running-bindery.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole } from './open-console.ts';

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole({}, () => [], 120_000);
});
afterAll(() => opened.close());

interface Waiting {
  readonly id: string;
  readonly arguments: { readonly name: string };
}

const waiting = async (): Promise<readonly Waiting[]> => {
  const { body } = await opened.bindery.api('GET', '/v1/approvals?status=pending');
  return (body as { items: Waiting[] }).items;
};
const idOf = async (name: string) => (await waiting()).find((one) => one.arguments.name === name)?.id ?? '';

async function ask(name: string, more: object = {}): Promise<{ readonly call: Promise<object>; readonly id: string }> {
  const call = callTool(opened.bindery, 'notes__write_note', { name, content: 'text', ...more });
  await until(`${name} waits`, async () => (await idOf(name)) !== '');
  return { call, id: await idOf(name) };
}

const pane = (page: Page) => page.getByRole('article');
const approveOnce = (page: Page) => pane(page).getByRole('button', { name: 'Approve once' });

const options = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`option_${at}`, 'default']));

test('arguments below the screen are shown before a key approves, and a call that differs there is named', async () => {
  const { call, id } = await ask('long', { ...options, zz_overwrite: '/etc/passwd' });
  const other = await ask('long2', { ...options, zz_overwrite: '/tmp/x' });
  const { page } = await opened.signIn({ viewport: { width: 1280, height: 700 } });
  await open(page, opened.bindery, `approvals/${id}`);
  const last = pane(page).getByText('"/etc/passwd"');
  const readOn = pane(page).getByRole('button', { name: /^Read on: \d+ lines below$/ });
  await readOn.and(page.locator(':enabled')).waitFor();
  const note = await pane(page).locator('.other-calls').innerText();
  expect([note.includes('/zz_overwrite'), await approveOnce(page).count()]).toEqual([true, 0]);
  await until('the end is shown', async () => {
    if ((await approveOnce(page).count()) > 0) return true;
    await readOn.click({ timeout: 1_000 }).catch(() => {});
    return false;
  });
  const box = await last.boundingBox();
  expect([(box?.y ?? 0) > 0 && (box?.y ?? 9_999) < 700, await idOf('long')]).toEqual([true, id]);
  await approveOnce(page).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('a');
  expect(JSON.stringify(await call)).not.toContain('APPROVAL');
  await opened.bindery.api('POST', `/v1/approvals/${other.id}/decision`, { decision: 'deny' });
});

test.each([
  ['a key on a wide screen', { width: 1280, height: 700 }, (page: Page) => page.keyboard.press('j')],
  ['a touch on a phone', { width: 390, height: 844 }, (page: Page) => page.locator('.inbox li a').nth(1).tap()],
] as const)(
  'the call that %s opens begins at its beginning, however far the one before was read',
  async (_, viewport, next) => {
    const [one, two] = [
      await ask('one', { ...options, zz: 'END-OF-ONE' }),
      await ask('two', { ...options, zz: 'END-OF-TWO' }),
    ];
    const { page } = await opened.signIn({ viewport, hasTouch: true });
    await open(page, opened.bindery, `approvals/${one.id}`);
    await pane(page).getByText('"one"').waitFor();
    await pane(page).locator('.end-of-arguments').scrollIntoViewIfNeeded();
    await approveOnce(page).and(page.locator(':enabled')).waitFor();
    await next(page);
    await pane(page).getByText('"two"').waitFor();
    const readOn = pane(page).getByRole('button', { name: /^Read on: \d+ lines below$/ });
    await readOn.and(page.locator(':enabled')).waitFor();
    const first = await pane(page).getByText('"two"').boundingBox();
    await page.keyboard.press('a');
    expect([await approveOnce(page).count(), (first?.y ?? -1) > 0 && (first?.y ?? 9_999) < viewport.height]).toEqual([
      0,
      true,
    ]);
    for (const box of await page.locator('.inbox input').all()) await box.check();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Approve 2…' }).tap();
    await dialog.getByRole('button', { name: /^Read on/ }).waitFor();
    expect(await dialog.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).tap();
    await page.getByRole('button', { name: 'Deny 2…' }).tap();
    await dialog.getByRole('button', { name: 'Deny 2 calls' }).waitFor();
    expect([
      await dialog.getByRole('heading', { name: 'notes / write_note' }).count(),
      await dialog.getByText('calls itself “test-agent”').count(),
      await dialog.getByText('END-OF-ONE').count(),
      await dialog.getByText('END-OF-TWO').count(),
    ]).toEqual([2, 2, 1, 1]);
    await dialog.getByRole('button', { name: 'Deny 2 calls' }).tap();
    await Promise.all([one.call, two.call]);
    expect(await waiting()).toEqual([]);
  },
);

test('a yes for the session says what it covers, asks once more, is named as such, and can be revoked', async () => {
  const { call, id } = await ask('session');
  const { page } = await opened.signIn();
  await open(page, opened.bindery, `approvals/${id}`);
  await approveOnce(page).and(page.locator(':enabled')).waitFor();
  await pane(page).getByText('Allow notes/write_note with any arguments until this session ends').waitFor();
  await page.keyboard.press('s');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('with any arguments until this session ends').waitFor();
  expect(await idOf('session')).toBe(id);
  await dialog.getByRole('button', { name: 'Allow any arguments' }).click();
  expect(JSON.stringify(await call)).toContain('wrote session');
  await open(page, opened.bindery, 'approvals/decided');
  await page.getByRole('table').getByText('any arguments for the session').first().waitFor();
  await open(page, opened.bindery, 'approvals/allowed');
  await page.getByRole('row').filter({ hasText: 'notes / write_note' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Nothing is allowed for a session').waitFor();
  const { body } = await opened.bindery.api('GET', '/v1/remembered-approvals');
  expect((body as { items: unknown[] }).items).toEqual([]);
});

test('a dialog to deny says that the call was approved elsewhere, by whom, and denies no more', async () => {
  const { call, id } = await ask('elsewhere');
  const { page } = await opened.signIn();
  await open(page, opened.bindery, `approvals/${id}`);
  await pane(page).locator('button:enabled').getByText('Deny…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Deny', exact: true }).waitFor();
  await opened.bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'approve' });
  await dialog.getByText('Decided by admin (console)').waitFor();
  expect(await dialog.getByRole('button', { name: 'Deny', exact: true }).isDisabled()).toBe(true);
  await call;
  const late = await opened.bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'deny' });
  expect([late.status, late.body]).toEqual([
    409,
    expect.objectContaining({
      decided_by: 'admin',
      decided_via: 'console',
      detail: expect.stringContaining('approved'),
    }),
  ]);
});

test('a caller is named by its key, its history is that of the key, and a client that has left is told before the decision', async () => {
  const { body } = await opened.bindery.api('POST', '/v1/keys', { name: 'key of dave' });
  const { key } = body as { key: string };
  const leaving = new AbortController();
  await callTool(opened.bindery, 'notes__list_notes', {}, { name: 'first-name', version: '1' }, { key });
  const agent = { name: 'second-name', version: '1' };
  const args = { name: 'left', content: 'text' };
  const call = callTool(opened.bindery, 'notes__write_note', args, agent, { key, signal: leaving.signal });
  const failed = call.catch(() => 'left');
  await until('it waits', async () => (await idOf('left')) !== '');
  const id = await idOf('left');
  const { page } = await opened.signIn();
  await open(page, opened.bindery, `approvals/${id}`);
  const history = pane(page).getByRole('table');
  await history.getByText('notes / list_notes').waitFor();
  await pane(page).getByText('What this key or user did before, in all sessions').waitFor();
  const who = pane(page).locator('dl.facts dd').first();
  await who.getByText('key of dave').waitFor();
  expect([
    (await who.innerText()).includes('calls itself “second-name 1”'),
    await history.getByText('another session').count(),
    await history.getByText('write_note').count(),
    await pane(page).getByText('The client no longer waits for this call').count(),
  ]).toEqual([true, 1, 0, 0]);
  leaving.abort();
  expect(await failed).toBe('left');
  await pane(page).getByText('The client no longer waits for this call').waitFor();
  await open(page, opened.bindery, 'audit');
  await page.getByRole('table', { name: 'Calls' }).getByText('key of dave').first().waitFor();
});
