import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/**
 * Loaded into a gateway before its own code: at each SIGUSR2 it appends a line to the file that `LOOP_PAUSES_FILE` names, with
 * the delays of its event loop since the last one.
 */
export interface LoopPauses {
  /** Delay of the event loop in milliseconds. */
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Milliseconds of garbage collection, and its longest pause. */
  readonly gc: number;
  readonly gcMax: number;
  /** Milliseconds of CPU of the process. */
  readonly cpu: number;
}

const RESOLUTION_MS = 4;
const file = process.env.LOOP_PAUSES_FILE;

if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let gc = 0;
  let gcMax = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      gc += duration;
      gcMax = Math.max(gcMax, duration);
    }
  }).observe({ entryTypes: ['gc'] });
  let before = process.cpuUsage();
  process.on('SIGUSR2', () => {
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
    const { user, system } = process.cpuUsage(before);
    const pauses: LoopPauses = {
      p95: late(delay.percentile(95)),
      p99: late(delay.percentile(99)),
      max: late(delay.max),
      gc,
      gcMax,
      cpu: (user + system) / 1_000,
    };
    appendFileSync(file, `${JSON.stringify(pauses)}\n`);
    delay.reset();
    gc = 0;
    gcMax = 0;
    before = process.cpuUsage();
  });
}
