import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery } from '../support/running-bindery.ts';
import { open } from './open-console.ts';

let home: BinderyHome;
let bindery: RunningBindery;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  home = await createHome({ version: 1, mcp: { servers: {} } });
  [bindery, browser] = await Promise.all([startBindery(home), launchChromium()]);
  page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
});
afterAll(async () => {
  await browser.close();
  await bindery.stop();
  await home.remove();
});
const show = (hash: string) => open(page, bindery, hash);

async function signIn(): Promise<void> {
  const { body } = await bindery.api('POST', '/console/link');
  await page.goto((body as { url: string }).url);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

test('an audit log without a filter and without a record says what comes there', async () => {
  await page.route('**/v1/audit?*', (route) => route.fulfill({ json: { items: [], next_cursor: null } }));
  await show('audit');
  await page.getByText('Nothing was recorded yet.').waitFor();
  expect(await page.getByText('Clear the filter').count()).toBe(0);
  await show('audit?server=nobody');
  await page.getByText('No call matches.').waitFor();
  await page.unroute('**/v1/audit?*');
});

test('each page of a gateway on which nothing is set up leads to the next step', async () => {
  await signIn();
  await show('overview');
  await page.getByRole('main').getByRole('link', { name: 'Add server' }).waitFor();
  expect(await page.getByText('Nothing needs you.').count()).toBe(0);
  const tokens = page.getByRole('link', { name: /Tokens a client sees/ });
  await expect.poll(() => tokens.innerText()).toMatch(/–\s+no tools yet/);
  await show('policy');
  await page.getByRole('link', { name: 'Write one.' }).click();
  await page.waitForURL(/#\/policy\/edit/);
  await show('servers');
  const link = page.locator('.empty').getByRole('link', { name: 'Add server' });
  const [own, around] = await Promise.all([link.boundingBox(), page.locator('.empty').boundingBox()]);
  const middle = (box: typeof own) => (box?.x ?? 0) + (box?.width ?? 0) / 2;
  expect(Math.abs(middle(own) - middle(around))).toBeLessThan(2);
  await show('nowhere');
  await page.getByRole('link', { name: 'Open the overview' }).click();
  await page.waitForURL(/#\/overview/);
});

test('a gateway without a cache offers to build one, and shows no error', async () => {
  await show('context');
  await page.getByText('No cache is served here yet.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'Build a cache' }).click();
  await page.getByRole('dialog', { name: 'Build a cache' }).waitFor();
  await page.keyboard.press('Escape');
});

test('a gateway that does not answer is told in words of the page', async () => {
  await page.route('**/v1/tools/find', (route) => route.abort());
  await show('tools/find?q=read');
  const alert = page.getByRole('alert');
  await alert.getByText('The gateway did not answer').waitFor();
  expect(await alert.innerText()).not.toContain('TypeError');
  await page.unroute('**/v1/tools/find');
  await page.route('**/v1/audit*', (route) => route.abort());
  await page.route('**/v1/audit/**', (route) => route.abort());
  await show('audit');
  await alert.getByText('The gateway did not answer').waitFor();
  expect([await alert.count(), await page.getByText('Up to date').count()]).toEqual([1, 0]);
  await page.unroute('**/v1/audit*');
  await page.unroute('**/v1/audit/**');
});

test('what is typed right after the key of the palette is searched for', async () => {
  await show('overview');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('policy');
  await expect.poll(() => page.getByRole('option').first().innerText()).toMatch(/^Policy/);
  await page.keyboard.press('Escape');
});

test('at the width of a phone the bar stays where it is when more is opened', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await show('overview');
  const entries = page.locator('.sidebar li').filter({ has: page.locator('a[href="#/overview"], a[href="#/tools"]') });
  const places = async () => {
    const boxes = await entries.evaluateAll((items) =>
      items.map((item) => {
        const { left, top } = item.getBoundingClientRect();
        return [Math.round(left), Math.round(top)];
      }),
    );
    return boxes;
  };
  const before = await places();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Settings' }).waitFor();
  expect(await places()).toEqual(before);
  await show('settings/nodes');
  const more = page.getByRole('button', { name: 'More' });
  expect([await more.getAttribute('aria-expanded'), await more.getAttribute('class')]).toEqual(['false', 'current']);
});
