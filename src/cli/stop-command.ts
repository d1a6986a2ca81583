import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { BinderyError, toBinderyError } from '../contract/errors.ts';
import { toProblem } from '../contract/problem.ts';
import { UP_LIMITS } from '../runtime/limits.ts';
import { directories } from './directories.ts';
import { findAnnouncement, isHeldBy } from './running-gateway.ts';
import type { Terminal } from './terminal.ts';

const POLL_MS = 50;

/** `bindery stop`: stops the gateway of this data directory as Ctrl-C at its terminal would, and waits until it has exited. */
export function addStopCommand(program: Command, terminal: Terminal): void {
  program
    .command('stop')
    .description('Stop the gateway that runs with this data directory; calls that run may finish first.')
    .option('--json', 'print the answer, or the problem, as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      try {
        const { pid, url } = await stopGateway(directories(process.env).dataDir, terminal.signal);
        if (json) await terminal.document(`${JSON.stringify({ stopped: true, pid, url })}\n`);
        else await terminal.out(`stopped the gateway at ${url} (process ${pid})\n`);
      } catch (thrown) {
        const error = toBinderyError(thrown);
        if (!json) throw error;
        terminal.exitCode = error.row.exit;
        await terminal.document(`${JSON.stringify(toProblem(error, randomUUID()))}\n`);
      }
    });
}

async function stopGateway(
  dataDir: string,
  signal: AbortSignal,
): Promise<{ readonly pid: number; readonly url: string }> {
  const running = await findAnnouncement(dataDir);
  if (!running) throw new BinderyError('GATEWAY_NOT_RUNNING', { next: 'There is nothing to stop.' });
  const { pid } = running;
  try {
    process.kill(pid, 'SIGTERM');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // It may have exited by itself.
    if (code !== 'ESRCH') throw notStopped(`process ${pid} may not be stopped by this user (${code})`, cause);
  }
  const deadline = Date.now() + UP_LIMITS.drainMs + UP_LIMITS.startMs;
  while (await isHeldBy(dataDir, pid)) {
    if (signal.aborted)
      throw new BinderyError('CANCELLED', { detail: `process ${pid} was told to stop and has not ended yet` });
    if (Date.now() > deadline) throw notStopped(`process ${pid} was told to stop and has not ended`);
    await sleep(POLL_MS);
  }
  return running;
}

function notStopped(detail: string, cause?: unknown): BinderyError {
  return new BinderyError('GATEWAY_NOT_STOPPED', {
    detail,
    next: 'Stop it as the user who started it, or end the process with `kill`.',
    cause,
  });
}
