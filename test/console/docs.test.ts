import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDocsRoutes } from '../../src/runtime/docs/docs-routes.ts';
import { launchChromium } from '../support/chromium.ts';
import { root } from '../support/repository.ts';

const axe = readFileSync(join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const app = new Hono();
addDocsRoutes(app, join(root, 'docs'));
const server = createServer(getRequestListener(app.fetch));
let browser: Browser;
let url: string;

beforeAll(async () => {
  browser = await launchChromium();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`;
});
afterAll(async () => {
  await browser.close();
  server.close();
});

async function visit(path: string, colorScheme: 'light' | 'dark', width: number): Promise<Page> {
  // The script of axe is ours to run, whatever the policy of the page says.
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`${url}${path}`);
  return page;
}

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
] as const)('pages are accessible and fit the screen: %s, %i px', async (theme, width) => {
  for (const path of ['/', '/guides/governance', '/guides/troubleshoot', '/reference/settings']) {
    const page = await visit(path, theme, width);
    await page.evaluate(axe);
    const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as { id: string }[];
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect([path, violations.map(({ id }) => id), overflow]).toEqual([path, [], 0]);
    await page.context().close();
  }
});

test('a heading is found by its words and opened by a key, under the strict policy of the page', async () => {
  const page = await browser.newPage();
  const refused: string[] = [];
  page.on('console', (message) => refused.push(message.text()));
  await page.goto(`${url}/`);
  await page.keyboard.press('/');
  await page.keyboard.type('webhooks');
  await page.getByRole('link', { name: 'Allow-list and approvals: Webhooks' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/guides\/governance#webhooks$/);
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Deploy' }).click();
  await page.getByRole('heading', { name: 'Deploy', level: 1 }).waitFor();
  expect(refused.filter((text) => !text.includes('icon.svg') && !text.includes('404'))).toEqual([]);
  await page.close();
});
