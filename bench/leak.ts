import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, residentMb, run, type Subject } from './gateway/load.ts';
import { endAll, loadAverage, start } from './gateway/processes.ts';
import { bindery, initialize, UPSTREAM } from './gateway/subjects.ts';

/**
 * Whether memory grows with calls: resident memory after a warm-up, and then while calls run at full rate for `--minutes=N`. Then it opens
 * ten thousand sessions and abandons them. The engine needs time to settle, so the warm-up lasts a twentieth of the minutes. A call
 * writes some 1.8 KB to the audit log: an hour needs 45 GB in the temporary folder, which is removed at the end.
 */
const MINUTES = Number(/^--minutes=(\d+)$/.exec(process.argv[2] ?? '')?.[1] ?? 1);
const FIRST_CALLS = 400_000;
const SESSIONS = 10_000;
const load: Load = { name: 'leak', tool: 'echo', upstream: 'json', concurrency: 32, calls: FIRST_CALLS };
const folder = mkdtempSync(join(tmpdir(), 'bindery-leak-'));

try {
  const upstream = await start(process.execPath, [UPSTREAM]);
  const subject = await bindery(upstream.url, folder, 1);
  const perMinute = (await run(subject, load)).callsPerSecond * 60;
  const warmUp = Math.ceil((perMinute * MINUTES) / 20);
  await run(subject, { ...load, calls: warmUp });
  const before = settled(subject);
  const part = Math.ceil((perMinute * MINUTES) / 10);
  let calls = FIRST_CALLS + warmUp;
  let minutes = 0;
  console.log('| calls | minutes | resident MB | since the warm-up | CPU µs/call |\n|--:|--:|--:|--:|--:|');
  console.log(`| ${calls} | 0 | ${before} | | |`);
  const started = performance.now();
  while (minutes < MINUTES) {
    const { cpuUs } = await run(subject, { ...load, calls: part });
    const now = settled(subject);
    calls += part;
    minutes = (performance.now() - started) / 60_000;
    console.log(`| ${calls} | ${minutes.toFixed(1)} | ${now} | ${now - before} | ${Math.round(cpuUs ?? 0)} |`);
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
