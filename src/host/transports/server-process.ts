import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { setBackground } from './process-group.ts';
import type { HoldingBack } from './read-in-turns.ts';

/** What is started, with nothing left to look up. */
export interface ServerCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Windows: the arguments are quoted already. */
  readonly verbatim?: boolean | undefined;
  /** It is to wait behind others that want the cores. */
  readonly isBackground?: boolean | undefined;
}

/** What a process does, and how its output is held back; chunks are valid during the call only. */
export interface ProcessEvents extends HoldingBack {
  onOutput(chunk: Buffer): void;
  onErrorOutput(chunk: Buffer): void;
  /** How long nothing of stderr is read after a piece of this size. */
  readonly errorRestMs?: ((bytes: number) => number) | undefined;
  /** The process has exited and its output is read; both are null if the cause is unknown. */
  onEnd(code: number | null, signal: string | null): void;
}

/** A server that runs, the leader of a process group of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  /** Leaves what it writes from now on unread: one that goes on writing waits. */
  stopReading(): void;
}

/** Starts a process from this one, which waits while the system copies itself: of a large process that takes a while. */
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
    // Node makes no streams where it gets no descriptors for them; the error says so.
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
    // Something that it started may hold its pipes open; what it said last is waited for, but not for ever.
    child.once('exit', (code, signal) => setTimeout(end, LIMITS.lastWordsMs, code, signal).unref());
    stdout.on('data', (chunk: Buffer) => events.onOutput(chunk));
    stderr.on('data', (chunk: Buffer) => events.onErrorOutput(chunk));
    // The end of the process says what happened; a broken pipe adds nothing.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
  });
}
