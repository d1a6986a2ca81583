import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../support/running-bindery.ts';
import { callTool } from './call-tool.ts';
import { type OpenedConsole, open, openConsole, readThrough } from './open-console.ts';

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
const namesWaiting = async () => (await waiting()).map((one) => one.arguments.name).sort();
const idOf = async (name: string) => (await waiting()).find((one) => one.arguments.name === name)?.id ?? '';
const decideElsewhere = async (name: string, decision: 'approve' | 'deny') =>
  opened.bindery.api('POST', `/v1/approvals/${await idOf(name)}/decision`, { decision });

/** A call that waits. */
async function askWith(name: string, content: string): Promise<{ readonly call: Promise<object> }> {
  const call = callTool(opened.bindery, 'notes__write_note', { name, content });
  await until(`${name} waits`, async () => (await idOf(name)) !== '');
  return { call };
}

/** Calls that wait, in this order. */
async function ask(...names: readonly string[]): Promise<Promise<object>[]> {
  const calls: Promise<object>[] = [];
  for (const name of names) calls.push((await askWith(name, `text of ${name}`)).call);
  return calls;
}

/** A text of so many characters, with an end to look for. */
const longText = (length: number, end: string) => `${'word '.repeat(length / 5).slice(0, length - end.length)}${end}`;

/** The page with a clock that stands still; each confirmation that it asks for is counted in the moment it asks. */
async function openStill(hash: string): Promise<Page> {
  const { page } = await opened.signIn();
  await page.addInitScript(`globalThis.confirmed = []; globalThis.fetch = ((own) => (path, ...rest) => {
    if (String(path).endsWith('/confirmation')) confirmed.push(String(path));
    return own(path, ...rest);
  })(globalThis.fetch);`);
  await page.clock.install();
  await page.goto('about:blank');
  await open(page, opened.bindery, hash);
  await page.clock.pauseAt(Date.now() + 3_600);
  return page;
}

const confirmed = (page: Page) => page.evaluate<string[]>('confirmed');
const pane = (page: Page) => page.getByRole('article');
const shows = (page: Page, name: string) => pane(page).getByText(`"${name}"`, { exact: true }).waitFor();
/** A frame: effects run after it. */
const draw = (page: Page) => page.clock.runFor(100);
/** As long as one looks before one decides. */
const look = (page: Page) => page.clock.runFor(700);

beforeEach(async () => {
  for (const { id } of await waiting())
    await opened.bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'deny' });
});

test('what was decided elsewhere stays on the screen as decided, and a key does not approve the next call', async () => {
  const calls = await ask('seen', 'unseen');
  const page = await openStill('approvals');
  await shows(page, 'seen');
  await look(page);
  await decideElsewhere('seen', 'approve');
  await pane(page).getByText('Decided by admin (console)').waitFor();
  await page.clock.runFor(10_000);
  await page.keyboard.press('a');
  await shows(page, 'seen');
  expect([await confirmed(page), await namesWaiting()]).toEqual([[], ['unseen']]);
  await page.keyboard.press('j');
  await shows(page, 'unseen');
  await look(page);
  await page.keyboard.press('a');
  expect((await Promise.all(calls)).map((answer) => JSON.stringify(answer).includes('wrote'))).toEqual([true, true]);
});

test('a key or a click counts for a call that has been on the screen for a moment, and a held key once', async () => {
  const calls = await ask('one', 'two', 'three');
  const page = await openStill('approvals');
  await shows(page, 'one');
  // The page was opened just now by its own clock.
  const again = await openStill('approvals');
  await shows(again, 'one');
  await again.keyboard.press('j');
  await shows(again, 'two');
  await again.keyboard.press('a');
  await again
    .getByRole('button', { name: 'Approve once' })
    .click({ force: true, timeout: 1_000 })
    .catch(() => {});
  expect([await confirmed(again), await namesWaiting()]).toEqual([[], ['one', 'three', 'two']]);
  await look(page);
  await page.keyboard.down('a');
  for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down('a');
  await pane(page).getByText('Decided by admin (console)').waitFor();
  for (let repeats = 0; repeats < 5; repeats += 1) {
    await look(page);
    await page.keyboard.down('a');
  }
  await page.keyboard.up('a');
  await shows(page, 'one');
  expect([(await confirmed(page)).length, await namesWaiting()]).toEqual([1, ['three', 'two']]);
  await page.getByRole('button', { name: 'Next' }).click();
  await shows(page, 'two');
  await page.keyboard.press('a');
  await page.keyboard.press('a');
  expect([(await confirmed(page)).length, await namesWaiting()]).toEqual([1, ['three', 'two']]);
  await look(page);
  await page.keyboard.press('a');
  await page.keyboard.press('a');
  expect(JSON.stringify(await calls[1])).toContain('wrote two');
  expect([(await confirmed(page)).length, await namesWaiting()]).toEqual([2, ['three']]);
});

test('an address of an approval shows that approval and no other, also after it was decided', async () => {
  await ask('linked', 'other');
  const id = await idOf('linked');
  const page = await openStill(`approvals/${id}`);
  await shows(page, 'linked');
  await decideElsewhere('linked', 'deny');
  await pane(page).getByText('Decided by admin (console)').waitFor();
  await page.clock.runFor(10_000);
  await shows(page, 'linked');
  await page.clock.resume();
  await page.reload();
  await pane(page).getByText('Decided by admin (console)').waitFor();
  await shows(page, 'linked');
  expect([new URL(page.url()).hash, await namesWaiting()]).toEqual([`#/approvals/${id}`, ['other']]);
  await open(page, opened.bindery, 'approvals/apr_none');
  await page.getByText('APPROVAL_NOT_FOUND').waitFor();
  expect(await pane(page).count()).toBe(0);
});

test('several calls are approved after a dialog has shown the arguments of each, and no other', async () => {
  const calls = await ask('first', 'second', 'third');
  const page = await openStill('approvals');
  await shows(page, 'first');
  for (const box of (await page.locator('.inbox input').all()).slice(1)) await box.check();
  await page.getByRole('button', { name: 'Approve 2…' }).click();
  await draw(page);
  const dialog = page.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: 'Approve 2 once' });
  for (const name of ['second', 'third']) await dialog.getByText(`"text of ${name}"`).waitFor();
  await readThrough(dialog, () => page.clock.runFor(200));
  expect([await confirm.isDisabled(), await confirmed(page), await namesWaiting()]).toEqual([
    true,
    [],
    ['first', 'second', 'third'],
  ]);
  await ask('late');
  await decideElsewhere('third', 'deny');
  await dialog.getByText('Denied').waitFor();
  await look(page);
  await dialog.getByRole('button', { name: 'Approve 1 once' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect([
    await namesWaiting(),
    JSON.stringify(await calls[1]).includes('wrote second'),
    JSON.stringify(await calls[2]).includes('wrote'),
  ]).toEqual([['first', 'late'], true, false]);
});

test('what is folded is opened before a call can be approved, by button or key', async () => {
  const { call } = await askWith('folded', longText(5_016, 'END-OF-IT'));
  const page = await openStill('approvals');
  await shows(page, 'folded');
  await look(page);
  const first = pane(page).getByRole('button', { name: 'Show all arguments first' });
  await first.waitFor();
  expect([
    await pane(page).getByText('END-OF-IT').count(),
    await pane(page)
      .getByRole('button', { name: /^Approve/ })
      .count(),
    await pane(page)
      .getByRole('button', { name: /show all/ })
      .innerText(),
  ]).toEqual([0, 0, expect.stringMatching(/all 5.016 characters$/)]);
  await page.keyboard.press('a');
  await pane(page).getByText('END-OF-IT').waitFor();
  await page.keyboard.press('a');
  await draw(page);
  expect([await confirmed(page), await namesWaiting()]).toEqual([[], ['folded']]);
  await readThrough(pane(page), () => look(page));
  await look(page);
  await page.keyboard.press('a');
  expect(JSON.stringify(await call)).toContain('wrote folded');
});

test('what the list cuts is said with its true length outside of the value, and loaded before a call can be approved', async () => {
  const { call } = await askWith('cut', longText(400_003, 'END-OF-IT'));
  const imitated = `token=abc123 ${longText(5_000, '… (334508 more characters)')}`;
  await askWith('imitates', imitated);
  const page = await openStill('approvals');
  await shows(page, 'cut');
  const fold = pane(page).getByRole('button', { name: /all 400.003 characters$/ });
  await fold.waitFor();
  await look(page);
  await page.keyboard.press('s');
  await pane(page).getByText('This look is recorded.').waitFor();
  expect([
    await pane(page).locator('.json-string').last().innerText(),
    await pane(page).getByRole('note').allInnerTexts(),
    (await pane(page).locator('pre').innerText()).endsWith('END-OF-IT"}'),
    await confirmed(page),
  ]).toEqual([
    expect.not.stringContaining('more characters'),
    [expect.stringMatching(/^cut here: the first 6\d.\d{3} of 400.003 characters$/)],
    true,
    [],
  ]);
  await look(page);
  await pane(page)
    .getByRole('button', { name: /^Read on: .* lines not shown yet$/ })
    .waitFor();
  await page.setViewportSize({ width: 1280, height: 10_000 });
  await readThrough(pane(page), () => look(page));
  await look(page);
  await pane(page).getByRole('button', { name: 'Approve once' }).click();
  expect(JSON.stringify(await call)).toContain('wrote cut');
  await page.keyboard.press('j');
  await shows(page, 'imitates');
  await look(page);
  await pane(page).getByRole('button', { name: 'Show all arguments first' }).click();
  await pane(page).getByText('… (334508 more characters)"').waitFor();
  expect(await pane(page).getByRole('note').count()).toBe(0);
});

test('several calls are approved after all of their arguments were opened, and denied without it', async () => {
  await askWith('one', longText(100_007, 'END-OF-ONE'));
  await askWith('two', longText(5_016, 'END-OF-TWO'));
  const page = await openStill('approvals');
  await shows(page, 'one');
  for (const box of await page.locator('.inbox input').all()) await box.check();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Approve 2…' }).click();
  await look(page);
  expect(await dialog.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Show all arguments first' }).click();
  for (const end of ['END-OF-ONE', 'END-OF-TWO']) await dialog.getByText(end).last().waitFor();
  await look(page);
  expect(await dialog.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
  await page.setViewportSize({ width: 1280, height: 10_000 });
  await readThrough(dialog, () => look(page));
  await look(page);
  await dialog.locator('button:enabled').getByText('Approve 2 once').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Deny 2…' }).click();
  await draw(page);
  await dialog.getByRole('button', { name: /all 5.016 characters$/ }).click();
  await dialog.getByText('END-OF-TWO').waitFor();
  await dialog.getByText('Ctrl Enter denies.').waitFor();
  await dialog.getByRole('textbox').press('Control+Enter');
  await dialog.waitFor({ state: 'detached' });
  expect([await namesWaiting(), await confirmed(page)]).toEqual([[], []]);
});
