import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalGroup } from './process-group.ts';

/**
 * The guard: a process of its own that is told of process groups (`+pid`, `-pid`, one per line) and ends those that are
 * left when its input closes. The kernel closes it however the parent ends, SIGKILL included.
 */
const TERMINATE_GRACE_MS = 1_000;
const groups = new Set<number>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (!Number.isSafeInteger(pid) || pid <= 1) continue;
  if (line.startsWith('+')) groups.add(pid);
  else groups.delete(pid);
}

const left = [...groups].filter((pid) => signalGroup(pid, 'SIGTERM'));
if (left.length > 0) {
  await sleep(TERMINATE_GRACE_MS);
  for (const pid of left) signalGroup(pid, 'SIGKILL');
}
process.exit(0);
