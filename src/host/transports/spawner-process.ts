import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { setBackground, signalGroup } from './process-group.ts';
import { type SpawnerAnswer, type SpawnerOrder, spawnerLine } from './spawner-orders.ts';

/**
 * The spawner: a small process that starts servers for a large one. When its stdin closes, it ends the remaining process groups; the
 * kernel closes it however the parent dies, including SIGKILL. Orders and answers are lines of JSON. The streams of a server bypass it:
 * the parent connects to a socket three times, and these connections become the server's stdin, stdout and stderr.
 */
const TERMINATE_GRACE_MS = 1_000;
const STREAMS = 3;
let folder: string | undefined;
const groups = new Set<number>();
const cancels = new Map<number, () => void>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// The parent has ended, so there is no reader.
process.stdout.on('error', () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as SpawnerOrder;
  if ('start' in order) offer(order);
  else if ('cancel' in order) cancels.get(order.cancel)?.();
  else if ('watch' in order) groups.add(order.watch);
  else groups.delete(order.forget);
}

if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
const left = [...groups].filter((pid) => signalGroup(pid, 'SIGTERM'));
if (left.length > 0) {
  await sleep(TERMINATE_GRACE_MS);
  for (const pid of left) signalGroup(pid, 'SIGKILL');
}
process.exit(0);

/** Opens a socket for the parent, and starts the server after the third connection. */
function offer(order: Extract<SpawnerOrder, { start: number }>): void {
  const { start: id } = order;
  const unable = (thrown: unknown) => answer({ id, noSocket: codeOf(thrown) });
  let path: string;
  try {
    // Only its owner may enter the folder, so no other user can connect.
    folder ??= mkdtempSync(join(process.argv[2] ?? '/tmp', 'bindery-spawner-'));
    path = join(folder, String(id));
  } catch (thrown) {
    unable(thrown);
    return;
  }
  const ends: Socket[] = [];
  const place = createServer({ pauseOnConnect: true }, (end) => {
    end.on('error', () => {});
    ends.push(end);
    if (ends.length < STREAMS) return;
    place.close();
    cancels.delete(id);
    run(order, ends);
  });
  const giveUp = () => {
    cancels.delete(id);
    place.close();
    for (const end of ends) end.destroy();
  };
  cancels.set(id, giveUp);
  place.on('error', (error) => {
    giveUp();
    unable(error);
  });
  place.listen(path, () => answer({ id, path }));
}

function run({ start: id, command }: Extract<SpawnerOrder, { start: number }>, ends: Socket[]): void {
  try {
    const { file, args, cwd, env } = command;
    const child = spawn(file, args, { cwd, env, stdio: ends, detached: true });
    if (child.pid !== undefined) groups.add(child.pid);
    if (child.pid !== undefined && command.isBackground) setBackground(child.pid, true);
    child.once('spawn', () => answer({ id, pid: child.pid as number }));
    child.once('error', (error) => answer({ id, error: codeOf(error) }));
    child.once('exit', (code, signal) => answer({ id, code, signal }));
  } catch (thrown) {
    answer({ id, error: codeOf(thrown) });
  }
  // The server has its own copies. The parent notices the end of a stream only if no other process holds a copy.
  for (const end of ends) end.destroy();
}

function answer(message: SpawnerAnswer): void {
  process.stdout.write(spawnerLine(message));
}

function codeOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message;
}
