import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../test/support/chromium.ts';
import { type Load, type Measured, run } from './gateway/load.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { bindery, UPSTREAM } from './gateway/subjects.ts';

/**
 * The cost of a call while the overview of the console is open, compared with the same calls while the browser shows an empty page.
 * Both alternate within each round, and a share is the median of the shares of each round, because other programs use this machine. The
 * browser uses the same cores; the CPU time of the gateway's process shows the cost of the calls.
 */
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 3 : 9;
const LOADS: readonly Load[] = [
  { name: 'one at a time', tool: 'echo', upstream: 'json', concurrency: 1, calls: quick ? 200 : 3_000 },
  { name: '32 concurrent', tool: 'echo', upstream: 'json', concurrency: 32, calls: quick ? 1_000 : 20_000 },
];
const WARM_UP: Load = { ...(LOADS[1] as Load), calls: 3_000 };
/** Pause between the load of the page and the measurement. */
const SETTLE_MS = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
const browser = await launchChromium();
try {
  const upstream = await start(process.execPath, [UPSTREAM]);
  const subject = await bindery(upstream.url, folder, 1);
  const base = new URL((subject.route(WARM_UP, 0) as { url: string }).url).origin;
  const page = await browser.newPage();
  await signIn(page, base);
  await run(subject, WARM_UP);
  const table = new Map<string, Measured[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const load of LOADS) {
      for (const way of round % 2 === 0 ? (['empty', 'overview'] as const) : (['overview', 'empty'] as const)) {
        await page.goto(way === 'empty' ? 'about:blank' : `${base}/#/overview`);
        if (way === 'overview') await page.locator('.tiles').waitFor();
        await page.waitForTimeout(SETTLE_MS);
        const key = `${load.name} ${way}`;
        table.set(key, [...(table.get(key) ?? []), await run(subject, load)]);
      }
    }
  }
  report(table);
} finally {
  await browser.close();
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

async function signIn(page: Page, base: string): Promise<void> {
  const token = readFileSync(join(folder, 'home-1', 'data', 'admin.token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${base}/console/link`, { method: 'POST', headers });
  await page.goto(((await response.json()) as { url: string }).url);
  await page.locator('.sidebar').waitFor();
}

function report(table: ReadonlyMap<string, readonly Measured[]>): void {
  console.log(
    `Machine: ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node}; ${ROUNDS} interleaved rounds, medians; load average ${loadAverage()}.\n`,
  );
  console.log(
    '| load | calls/s, empty page | overview open | share | p95 ms, empty | overview | CPU µs/call of the gateway, empty | overview | share |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|',
  );
  for (const { name } of LOADS) {
    const [empty, open] = [table.get(`${name} empty`) ?? [], table.get(`${name} overview`) ?? []];
    const of = (rounds: readonly Measured[], pick: (one: Measured) => number) => middle(rounds.map(pick));
    const share = (pick: (one: Measured) => number) =>
      `${(100 * middle(open.map((one, round) => pick(one) / pick(empty[round] as Measured)))).toFixed(1)} %`;
    const rate = ({ callsPerSecond }: Measured) => callsPerSecond;
    const cpu = ({ cpuUs }: Measured) => cpuUs ?? 0;
    const cells = [
      name,
      ...[empty, open].map((rounds) => Math.round(of(rounds, rate))),
      share(rate),
      ...[empty, open].map((rounds) => of(rounds, ({ p95 }) => p95).toFixed(2)),
      ...[empty, open].map((rounds) => Math.round(of(rounds, cpu))),
      share(cpu),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
}
