import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import { UP_LIMITS } from '../../runtime/limits.ts';
import { findAnnouncement, isHeldBy } from '../running-gateway.ts';

/** How to start the gateway of this machine. */
export interface GatewayProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly home: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const POLL_MS = 50;

/** Starts a gateway that outlives this command. Resolves with its process id when it serves. */
export async function startInBackground(program: GatewayProgram): Promise<number> {
  const { command, args, home, dataDir, env } = program;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'gateway.log');
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(command, args, { cwd: home, env: { ...env }, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = Promise.race([
    once(child, 'exit').then(([code]) => `it ended with ${code}`),
    once(child, 'error').then(([error]) => String((error as Error).message)),
  ]);
  child.unref();
  let failure: string | undefined;
  void ended.then((reason) => {
    failure = reason;
  });
  const pid = await untilServing(program, () => failure);
  if (pid !== undefined) return pid;
  const said = readSuppliedFileSync({ path: logFile, bytesMax: UP_LIMITS.startLogBytesMax })?.toString('utf8').trim();
  throw new BinderyError('GATEWAY_NOT_STARTED', { detail: said || failure || 'it did not answer in time' });
}

/** Waits until a gateway announces itself; undefined if it fails or times out. */
export async function untilServing(
  { dataDir }: GatewayProgram,
  failed: () => string | undefined,
): Promise<number | undefined> {
  const deadline = Date.now() + UP_LIMITS.startMs;
  while (Date.now() < deadline && failed() === undefined) {
    const running = await findAnnouncement(dataDir);
    if (running) return running.pid;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Stops the gateway with this process id, if it is the one that serves. Resolves when it has exited. */
export async function stopGateway(dataDir: string, pid: number): Promise<boolean> {
  if ((await findAnnouncement(dataDir))?.pid !== pid) return false;
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + UP_LIMITS.drainMs + UP_LIMITS.startMs;
  while (await isHeldBy(dataDir, pid)) {
    if (Date.now() > deadline) {
      throw new BinderyError('GATEWAY_NOT_STOPPED', {
        detail: `process ${pid} was told to stop and has not ended; no file was restored`,
        next: 'End the process with `kill`, and run `bindery restore` again.',
      });
    }
    await sleep(POLL_MS);
  }
  return true;
}
