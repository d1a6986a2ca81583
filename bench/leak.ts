import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, residentMb, run, type Subject } from './gateway/load.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { bindery, initialize, UPSTREAM } from './gateway/subjects.ts';

/**
 * Whether memory grows with calls: resident memory after a warm-up, and then after each tenth of `--calls=N` (an hour at full rate
 * is some twenty million; a part of it shows the slope). Then ten thousand sessions are opened and left. The engine takes its time to
 * settle, so the warm-up is a twentieth of the calls.
 */
const CALLS = Number(/^--calls=(\d+)$/.exec(process.argv[2] ?? '')?.[1] ?? 200_000);
const WARM_UP = Math.max(60_000, CALLS / 20);
const SESSIONS = 10_000;
const load: Load = { name: 'leak', tool: 'echo', upstream: 'json', concurrency: 32, calls: CALLS / 10 };
const folder = mkdtempSync(join(tmpdir(), 'bindery-leak-'));

try {
  const upstream = await start(process.execPath, [UPSTREAM]);
  const subject = await bindery(upstream.url, folder, 1);
  await run(subject, { ...load, calls: WARM_UP });
  const before = settled(subject);
  const started = performance.now();
  console.log('| calls | minutes | resident MB | since the warm-up | CPU µs/call |\n|--:|--:|--:|--:|--:|');
  console.log(`| ${WARM_UP} | 0 | ${before} | | |`);
  for (let part = 1; part <= 10; part += 1) {
    const { cpuUs } = await run(subject, load);
    const now = settled(subject);
    const minutes = ((performance.now() - started) / 60_000).toFixed(1);
    console.log(
      `| ${WARM_UP + part * load.calls} | ${minutes} | ${now} | ${now - before} | ${Math.round(cpuUs ?? 0)} |`,
    );
  }
  const { url } = subject.route(load, 0) as { url: string };
  for (let opened = 0; opened < SESSIONS; opened += 50) {
    await Promise.all(Array.from({ length: 50 }, () => initialize(url)));
  }
  console.log(
    `\nAfter ${SESSIONS} more sessions that nobody uses: ${settled(subject)} MB; load average ${loadAverage()}.`,
  );
} finally {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

function settled({ pids }: Subject): number {
  return Math.round(residentMb(pids()));
}
