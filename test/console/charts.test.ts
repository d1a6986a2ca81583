import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AuditFile } from '../../src/store/audit/audit-file.ts';
import { launchChromium } from '../support/chromium.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery } from '../support/running-bindery.ts';
import { open } from './open-console.ts';

const CALLS = 1_200;

let home: BinderyHome;
let bindery: RunningBindery;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  home = await createHome({ version: 1, mcp: { servers: {} } });
  mkdirSync(home.dataDir, { recursive: true });
  const file = new AuditFile({ file: join(home.dataDir, 'audit-0.db'), chain: 'local/0', fsync: false });
  const begin = Date.now() - CALLS * 100;
  file.append(
    Array.from({ length: CALLS }, (_, index) => ({
      kind: 'call' as const,
      phase: 'single' as const,
      call_id: `call-${index}`,
      time: new Date(begin + index * 100).toISOString(),
      caller: 'local',
      server: 'files',
      tool: index % 2 === 0 ? 'read' : 'write',
      outcome: index % 10 === 0 ? ('denied' as const) : ('ok' as const),
      total_us: 20_000_000,
    })),
    [],
  );
  file.close();
  bindery = await startBindery(home);
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
});
afterAll(async () => {
  await browser.close();
  await bindery.stop();
  await home.remove();
});

/** Of each chart: how many pixels have the colour of a series, and whether something is drawn at its left edge. */
const DRAWN = `[...document.querySelectorAll('.chart canvas')].map((canvas) => {
  const colors = ['--ok', '--asks', '--accent'].map((name) => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const drawn = { series: 0, edge: 0 };
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 255 && colors.some((one) => one.every((value, index) => value === data[at + index])))
      drawn.series += 1;
    if ((at / 4) % width < 2 && data[at + 3] > 0) drawn.edge += 1;
  }
  return drawn;
})`;

async function drawn(): Promise<{ series: number; edge: number }[]> {
  let found: { series: number; edge: number }[] = [];
  await expect
    .poll(async () => {
      found = (await page.evaluate(DRAWN)) as typeof found;
      return found.length;
    })
    .toBeGreaterThan(0);
  // What uPlot is told is drawn before the next frame but one.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return (await page.evaluate(DRAWN)) as typeof found;
}

test.each(['30d', '7d', '24h'])(
  'calls of the bucket that fills now are drawn in %s, also where they stand alone',
  async (range) => {
    await open(page, bindery, `overview?range=${range}`);
    const charts = await drawn();
    expect(charts.map(({ series }) => series > 0)).toEqual([true, true]);
    // The line beside a figure is as wide as a dot there.
    expect(await page.locator('.tiles .sparkline path').nth(1).getAttribute('d')).toMatch(/h0/);
  },
);

test('no label of an axis is cut, and the legend says of which time it is', async () => {
  await open(page, bindery, 'overview?range=24h');
  expect((await drawn()).map(({ edge }) => edge)).toEqual([0, 0]);
  const [legend] = await page.locator('.chart .u-legend').allInnerTexts();
  expect(legend).toMatch(/^\s*\d\d-\d\d \d\d:\d\d – \d\d-\d\d \d\d:\d\d/);
});

test('the histogram of the audit log counts every call that matches, whatever the list has loaded', async () => {
  await open(page, bindery, 'audit');
  await page.getByText(/^1\u202f200 calls over time/).waitFor();
  await page.getByText('500 records loaded').waitFor();
  await open(page, bindery, 'audit?tool=write&q=call-1199');
  await page.getByText(/^1 call over time/).waitFor();
  await page.getByText('1 record', { exact: true }).waitFor();
  await open(page, bindery, 'audit?kind=call&outcome=denied');
  await page.getByText(/^120 calls over time/).waitFor();
  await page.getByText('120 calls', { exact: true }).waitFor();
});

/** For the browser: what moved since the page was loaded, and by how much. */
const SHIFTS = `new Promise((done) => {
  const seen = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      seen.push({ value, what: sources.map(({ node }) => node?.outerHTML?.slice(0, 60) ?? '') });
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done(seen), 300);
})`;

test.each(['overview', 'audit', 'tools'])('what comes in later moves nothing on the page %s', async (hash) => {
  await open(page, bindery, hash);
  await page.reload();
  await open(page, bindery, hash);
  const shifts = (await page.evaluate(SHIFTS)) as { value: number; what: string[] }[];
  const all = shifts.reduce((sum, { value }) => sum + value, 0);
  console.log(`${hash}: layout shift ${all.toFixed(3)}`);
  expect(all < 0.02 ? [] : shifts).toEqual([]);
});
