import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { AuditFile } from '../../src/store/audit/audit-file.ts';
import { launchChromium } from '../support/chromium.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';
import { open } from './open-console.ts';

const RECORDS = 100_000;
const TOOLS = 2_000;

let home: BinderyHome;
let bindery: RunningBindery;
let fixture: RunningFixture;
let browser: Browser;
let page: Page;
let close: () => Promise<void>;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'many', version: '1' }, { capabilities: { tools: {} } });
    const inputSchema = z.object({ id: z.string() });
    for (let index = 0; index < TOOLS; index += 1)
      server.registerTool(`tool_${index}`, { description: `Does thing number ${index}.`, inputSchema }, async () => ({
        content: [],
      }));
    return server;
  });
  home = await createHome({ version: 1, mcp: { servers: { many: { transport: 'http', url: fixture.url } } } });
  const file = new AuditFile({ file: join(home.dataDir, 'audit-0.db'), chain: 'local/0', fsync: false });
  const begin = Date.now() - 86_400_000;
  for (let from = 0; from < RECORDS; from += 10_000)
    file.append(
      Array.from({ length: 10_000 }, (_, index) => ({
        kind: 'call' as const,
        phase: 'single' as const,
        call_id: `call-${from + index}`,
        time: new Date(begin + (from + index) * 800).toISOString(),
        caller: 'local',
        server: 'many',
        tool: `tool_${index % TOOLS}`,
        outcome: 'ok' as const,
        total_us: 1_000 + index,
      })),
      [],
    );
  file.close();
  bindery = await startBindery(home);
  await untilKnown(bindery, 'many');
  browser = await launchChromium();
  page = await browser.newPage();
  close = () => browser.close();
});
afterAll(async () => {
  await close();
  await bindery.stop();
  await fixture.close();
  await home.remove();
});

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Processor time of each task of a page's main thread, in ms: how busy the machine is otherwise does not count. */
function taskTimes(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1_000);
}

/** Scrolls a list in steps and says how many rows were in the document at most, and how long its tasks were. */
async function scroll(steps: number, by: number) {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  const seen = await scrolled(steps, by);
  const times = taskTimes(await browser.stopTracing());
  return { ...seen, tasks: times.length, longest: Math.max(0, ...times), long: times.filter((ms) => ms > 50).length };
}

async function scrolled(steps: number, by: number) {
  return (await page.evaluate(`(async () => {
    const body = document.querySelector('.rows-body');
    const longTasks = [];
    const observer = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: 'longtask' });
    let rows = 0;
    for (let step = 0; step < ${steps}; step += 1) {
      body.scrollTop += ${by};
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      rows = Math.max(rows, body.querySelectorAll('[role=row]').length);
    }
    observer.disconnect();
    return { rows, longTasks, top: body.scrollTop };
  })()`)) as { rows: number; longTasks: number[]; top: number };
}

function report(list: string, { rows, tasks, longest, long, longTasks }: Awaited<ReturnType<typeof scroll>>): void {
  const wall =
    longTasks.length === 0 ? 'none' : `${longTasks.length}, the longest ${Math.round(Math.max(...longTasks))} ms`;
  console.log(
    `${list}: ${rows} rows in the document; of ${tasks} tasks the longest took ${longest.toFixed(1)} ms of the processor, ${long} more than 50 ms; long tasks by the clock: ${wall}`,
  );
}

test('a hundred thousand calls scroll with a few rows in the document', async () => {
  await open(page, bindery, 'audit?kind=call');
  await page.getByText('500 calls loaded').waitFor();
  await page.getByText('100\u202f000 calls over time').waitFor();
  const seen = await scroll(120, 400);
  report('audit', seen);
  expect([seen.rows < 120, seen.top > 10_000, seen.tasks > 120]).toEqual([true, true, true]);
  await page.getByText(/\d\u202f\d{3} calls loaded/).waitFor();
});

test('the decisions on two thousand tools scroll with a few rows in the document', async () => {
  await open(page, bindery, 'policy');
  const matrix = page.getByRole('table', { name: 'Matrix' });
  await matrix.getByRole('button', { name: 'tool_1', exact: false }).first().waitFor();
  const nodes = () => page.locator('main *').count();
  expect(await nodes()).toBeLessThan(2_000);
  await matrix
    .getByRole('button', { name: /^Show all 2/ })
    .first()
    .click();
  await matrix.getByRole('button', { name: 'Show fewer' }).waitFor();
  await matrix.locator('.rows-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await matrix.getByRole('button', { name: /^tool_999 / }).click();
  await page.getByRole('status').getByText('tool_999').waitFor();
  expect(await nodes()).toBeLessThan(2_000);
});

test('two thousand tools scroll with a few rows in the document', async () => {
  await open(page, bindery, 'tools');
  await page.getByText(/of 2\u202f\d{3}/).waitFor();
  const { body } = await bindery.api('GET', '/v1/tools/cost?limit=1');
  const [many] = (body as { servers: { server: string; tools: number; tokens: number }[] }).servers.filter(
    ({ server }) => server === 'many',
  );
  await page
    .locator('.treemap text.group')
    .getByText(`many ${Math.round((many?.tokens ?? 0) / 1_000)}k`)
    .waitFor();
  const drawn = await page.locator('.treemap a[href*="many__"]').count();
  const more = (many?.tools ?? 0) - drawn;
  await page
    .locator('.treemap a title')
    .getByText(`many: ${more.toLocaleString('en-US').replace(',', '\u202f')} more tools`)
    .waitFor({ state: 'attached' });
  expect([many?.tools, drawn < 500]).toEqual([TOOLS, true]);
  const seen = await scroll(120, 400);
  report('tools', seen);
  expect([seen.rows < 120, seen.top > 10_000, seen.tasks > 120]).toEqual([true, true, true]);
});
