import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const readOn = pane(page).getByRole('button', { name: /^Read on: \d+ lines not shown yet$/ });
  await readOn.and(page.locator(':enabled')).waitFor();
  const note = await pane(page).locator('.other-calls').innerText();
  expect([note.includes('/zz_overwrite'), await approveOnce(page).count()]).toEqual([true, 0]);
  await readThrough(pane(page));
  const box = await last.boundingBox();
  expect([(box?.y ?? 0) > 0 && (box?.y ?? 9_999) < 700, await idOf('long')]).toEqual([true, id]);
  await approveOnce(page).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('a');
  expect(JSON.stringify(await call)).not.toContain('APPROVAL');
  await opened.bindery.api('POST', `/v1/approvals/${other.id}/decision`, { decision: 'deny' });
});

const optionNames = Array.from({ length: 300 }, (_, at) => `option_${at}`);
const manyOptions = Object.fromEntries(optionNames.map((name) => [name, 'default']));

/** The names of members that no bar covers. */
const namesShown = (page: Page, place: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('${place} .json-key')].filter((key) => {
    const { left, top, height } = key.getBoundingClientRect();
    return document.elementFromPoint(left + 4, top + height / 2) === key;
  }).map((key) => JSON.parse(key.textContent))`);

/** Scrolls to the end as an animation does: each step is drawn, and none stays. */
const glide = (page: Page) =>
  page.evaluate(`(async () => {
    const box = document.querySelector('dialog') ?? document.documentElement;
    while (box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
      const drawn = new Promise((resolve) => document.addEventListener('scroll', resolve, { capture: true, once: true }));
      box.scrollBy(0, 200);
      await drawn;
    }
  })()`);

const pressEnd = (page: Page) => page.keyboard.press('End');

/** The page with a clock that stands still. */
async function openStill(hash: string, options: Parameters<OpenedConsole['signIn']>[0]): Promise<Page> {
  const { page } = await opened.signIn(options);
  await page.clock.install();
  await page.goto('about:blank');
  await open(page, opened.bindery, hash);
  await page.clock.pauseAt(Date.now() + 3_600);
  return page;
}

/** How many lines the button says are left. */
async function linesLeft(page: Page): Promise<number> {
  await page.clock.runFor(700);
  const [label = ''] = await pane(page)
    .getByRole('button', { name: /^Read on: / })
    .allInnerTexts();
  return Number(label.replaceAll(/\D/g, ''));
}

async function denyAll(...asked: readonly { readonly call: Promise<object>; readonly id: string }[]): Promise<void> {
  for (const { id, call } of asked) {
    await opened.bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'deny' });
    await call;
  }
}

test.each([
  ['the End key', 'article', pressEnd],
  ['a scroll to the end that never rests', 'article', glide],
  ['the End key', 'dialog', pressEnd],
  ['a scroll to the end that never rests', 'dialog', glide],
] as const)(
  'after %s, the %s of the page leads through every line before it offers to approve',
  async (_, where, jump) => {
    const [long, short] = [await ask('jumped', manyOptions), await ask('short')];
    const page = await openStill(`approvals/${long.id}`, { viewport: { width: 1280, height: 700 } });
    const place = where === 'article' ? pane(page) : page.getByRole('dialog');
    if (where === 'dialog') {
      for (const box of await page.locator('.inbox input').all()) await box.check();
      await page.getByRole('button', { name: 'Approve 2…' }).click();
    }
    const look = () => page.clock.runFor(700);
    await look();
    await place
      .getByRole('button', { name: /^Read on: / })
      .and(page.locator(':enabled'))
      .waitFor();
    const shown = new Set(await namesShown(page, where));
    await jump(page);
    await until('the end is on the screen', async () => (await namesShown(page, where)).includes('option_299'));
    await look();
    expect([await place.getByRole('button', { name: /^Approve/ }).count(), shown.has('option_150')]).toEqual([
      0,
      false,
    ]);
    await readThrough(place, async () => {
      await look();
      for (const name of await namesShown(page, where)) shown.add(name);
    });
    expect(optionNames.filter((name) => !shown.has(name))).toEqual([]);
    await denyAll(long, short);
  },
);

test('Page Down and the key of the button lead through 2,000 lines without a gap', async () => {
  const asked = await ask('pages', { list: Array.from({ length: 2_000 }, (_, at) => at) });
  const page = await openStill(`approvals/${asked.id}`, { viewport: { width: 1280, height: 600 } });
  await page.clock.runFor(700);
  await pane(page).getByRole('button', { name: 'Show all arguments first' }).click();
  await pane(page).getByText('1999', { exact: true }).waitFor();
  const all = await linesLeft(page);
  const shown: number[] = [];
  for (let left = all; left > 0; ) {
    await page.keyboard.press(shown.length < 40 ? 'PageDown' : 'a');
    const before = left;
    await until('more lines were on the screen', async () => {
      left = await linesLeft(page);
      return left < before;
    });
    shown.push(before - left);
  }
  await approveOnce(page).waitFor();
  expect([all > 1_990, shown.slice(0, -1).filter((lines) => lines < 20), shown.length < 90]).toEqual([true, [], true]);
  await denyAll(asked);
});

test('holding Page Down leads through 2,000 lines without a gap, and a bar shows how far', async () => {
  const asked = await ask('held', { list: Array.from({ length: 2_000 }, (_, at) => at) });
  const page = await openStill(`approvals/${asked.id}`, { viewport: { width: 1280, height: 600 } });
  await page.clock.runFor(700);
  await pane(page).getByRole('button', { name: 'Show all arguments first' }).click();
  await pane(page).getByText('1999', { exact: true }).waitFor();
  await page.clock.runFor(700);
  const shares: number[] = [];
  let repeats = 0;
  await page.keyboard.down('PageDown');
  while ((await approveOnce(page).count()) === 0) {
    const bar = pane(page).getByRole('progressbar', { name: 'How much has been on the screen' });
    shares.push(Number(await bar.getAttribute('aria-valuenow')));
    for (let times = 0; times < 10; times += 1) {
      await page.keyboard.down('PageDown');
      await page.clock.runFor(33);
    }
    repeats += 10;
    if (repeats > 2_000) break;
  }
  await page.keyboard.up('PageDown');
  const rises = shares.every((share, at) => at === 0 || share >= (shares[at - 1] ?? 0));
  expect([await approveOnce(page).count(), rises, (shares[0] ?? 100) < 10, (shares.at(-1) ?? 0) > 90]).toEqual([
    1,
    true,
    true,
    true,
  ]);
  await denyAll(asked);
});

test('a line that wraps must be read again at another width, and nothing counts in a hidden tab', async () => {
  const asked = await ask('wrapped', { text: 'word '.repeat(780) });
  const page = await openStill(`approvals/${asked.id}`, { viewport: { width: 900, height: 400 } });
  const look = () => page.clock.runFor(700);
  const hide = (isHidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));`);
  const all = await linesLeft(page);
  await hide(true);
  await page.keyboard.press('PageDown');
  await until('the page has moved', async () => (await page.evaluate<number>('scrollY')) > 100);
  const whileHidden = await linesLeft(page);
  await hide(false);
  const shown = await linesLeft(page);
  await page.setViewportSize({ width: 700, height: 400 });
  await until('the lines are counted at the other width', async () => (await linesLeft(page)) > all);
  await readThrough(pane(page), look);
  await page.setViewportSize({ width: 500, height: 400 });
  await look();
  expect([whileHidden, shown < all, await approveOnce(page).count()]).toEqual([all, true, 1]);
  await denyAll(asked);
});

test('deeply nested arguments stay within the width of the screen', async () => {
  const deep = Array.from({ length: 60 }).reduce<object>((inner) => ({ in: inner }), { last: 'deepest' });
  const asked = await ask('nested', { deep });
  const { page } = await opened.signIn({ viewport: { width: 390, height: 844 } });
  await open(page, opened.bindery, `approvals/${asked.id}`);
  await pane(page).getByText('"deepest"').waitFor();
  const overflow = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('article .json'))`;
  expect(await page.evaluate(overflow)).toBe(0);
  await denyAll(asked);
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
    await readThrough(pane(page));
    await approveOnce(page).and(page.locator(':enabled')).waitFor();
    await next(page);
    await pane(page).getByText('"two"').waitFor();
    const readOn = pane(page).getByRole('button', { name: /^Read on: \d+ lines not shown yet$/ });
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
