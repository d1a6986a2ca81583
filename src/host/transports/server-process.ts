import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { setBackground } from './process-group.ts';
import type { ReadThrottle } from './read-in-turns.ts';

/** A fully resolved command. */
export interface ServerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Windows: the arguments are already quoted. */
  readonly verbatim?: boolean | undefined;
  /** Start with low CPU priority. */
  readonly isBackground?: boolean | undefined;
}

/** The events of a process, and how its output is throttled; chunks are valid only during the call. */
export interface ProcessEvents extends ReadThrottle {
  onOutput(chunk: Buffer): void;
  onErrorOutput(chunk: Buffer): void;
  /** How long to stop reading stderr after a chunk of this size. */
  readonly errorRestMs?: ((bytes: number) => number) | undefined;
  /** The process has exited and its output was read; both are null if the cause is unknown. */
  onEnd(code: number | null, signal: string | null): void;
}

/** A running server, the leader of its own process group. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  /** Stops reading its output; if it keeps writing, it blocks. */
  stopReading(): void;
}

/** Starts a process directly. This blocks while the system forks, which takes long for a large process. */
export function startDirectly(command: ServerCommand, events: ProcessEvents): Promise<ServerProcess> {
  return new Promise((resolve, reject) => {
    const { file, args, cwd, env, verbatim } = command;
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    });
    const { stdin, stdout, stderr } = child;
    child.once('error', reject);
    // Node creates no streams if it has no file descriptors left; the `error` event reports it.
    if (!stdout) return;
    if (child.pid !== undefined && command.isBackground) setBackground(child.pid, true);
    child.once('spawn', () =>
      resolve({
        pid: child.pid as number,
        stdin,
        stopReading() {
          stdout.removeAllListeners('data').pause();
          stderr.removeAllListeners('data').pause();
        },
      }),
    );
    let ended = false;
    const end = (code: number | null, signal: string | null) => {
      if (!ended) events.onEnd(code, signal);
      ended = true;
    };
    child.once('close', end);
    // A descendant may keep the pipes open: wait for the last output, but not forever.
    child.once('exit', (code, signal) => setTimeout(end, LIMITS.lastWordsMs, code, signal).unref());
    stdout.on('data', (chunk: Buffer) => events.onOutput(chunk));
    stderr.on('data', (chunk: Buffer) => events.onErrorOutput(chunk));
    // The exit of the process tells the cause; a broken pipe adds nothing.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
  });
}
