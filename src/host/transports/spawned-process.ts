import { connect, type Socket } from 'node:net';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { readInTurns } from './read-in-turns.ts';
import type { ProcessEvents, ServerCommand, ServerProcess } from './server-process.ts';
import type { SpawnerAnswer, SpawnerOrder } from './spawner-orders.ts';

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The spawner could not create a socket for the server's streams. */
export class NoSocket extends Error {
  override readonly name = 'NoSocket';
}

/** A process that the spawner starts for us; we hold the other ends of its stdin, stdout and stderr. */
export class SpawnedProcess {
  readonly started: Promise<ServerProcess>;
  readonly #id: number;
  readonly #tell: (order: SpawnerOrder) => void;
  readonly #events: ProcessEvents;
  readonly #settle = Promise.withResolvers<ServerProcess>();
  #state: 'starting' | 'running' | 'over' = 'starting';
  #streams: readonly Socket[] = [];
  #outputsOpen = 0;
  #exit: Exit | undefined;
  readonly #deadline: NodeJS.Timeout;

  constructor(id: number, command: ServerCommand, events: ProcessEvents, tell: (order: SpawnerOrder) => void) {
    this.#id = id;
    this.#tell = tell;
    this.#events = events;
    this.started = this.#settle.promise;
    this.#deadline = setTimeout(
      () => this.#fail(new Error('the process that starts servers does not answer')),
      LIMITS.processStartMs,
    );
    tell({ start: id, command });
  }

  onAnswer(answer: SpawnerAnswer): void {
    if ('path' in answer) this.#connect(answer.path);
    else if ('noSocket' in answer) this.#fail(new NoSocket(answer.noSocket));
    else if ('pid' in answer) this.#run(answer.pid);
    else if ('error' in answer) this.#fail(Object.assign(new Error(answer.error), { code: answer.error }));
    else this.#onExit(answer);
  }

  /** The spawner is gone and will not report the exit, but the streams show when the process ends. */
  onSpawnerLost(): void {
    this.#fail(new Error('the process that starts servers has ended'));
    this.#exit ??= { code: null, signal: null };
    this.#endIfSilent();
  }

  /** The spawner assigns stdin, stdout and stderr in the order of these connections. */
  #connect(path: string): void {
    const stdin = connect({ path });
    // Never read from stdin's socket: a server that writes to it blocks.
    stdin.pause();
    const stdout: Socket = connect({
      path,
      onread: readInTurns(
        () => stdout,
        (chunk) => this.#events.onOutput(chunk),
        this.#events,
      ),
    });
    const stderr: Socket = connect({
      path,
      onread: readInTurns(
        () => stderr,
        (chunk) => this.#events.onErrorOutput(chunk),
        { restMs: this.#events.errorRestMs },
      ),
    });
    this.#streams = [stdin, stdout, stderr];
    // Matters only during the start; afterwards the exit tells the cause.
    for (const stream of this.#streams) stream.on('error', (error) => this.#fail(error));
    this.#outputsOpen = 2;
    for (const output of [stdout, stderr]) {
      output.once('close', () => {
        this.#outputsOpen -= 1;
        this.#endIfSilent();
      });
    }
  }

  #run(pid: number): void {
    if (this.#state !== 'starting') return;
    this.#state = 'running';
    clearTimeout(this.#deadline);
    const [stdin, stdout, stderr] = this.#streams as [Socket, Socket, Socket];
    this.#settle.resolve({
      pid,
      stdin,
      stopReading() {
        stdout.pause();
        stderr.pause();
      },
    });
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    this.#endIfSilent();
    // A descendant may keep the streams open: wait for the last output, but not forever.
    if (this.#state === 'running') setTimeout(() => this.#end(exit), LIMITS.lastWordsMs).unref();
  }

  #endIfSilent(): void {
    if (this.#exit && this.#outputsOpen === 0) this.#end(this.#exit);
  }

  #end({ code, signal }: Exit): void {
    if (this.#state !== 'running') return;
    this.#leave();
    // If a process exits immediately, report its start first.
    setImmediate(() => this.#events.onEnd(code, signal));
  }

  #fail(error: Error): void {
    if (this.#state !== 'starting') return;
    this.#leave();
    this.#tell({ cancel: this.#id });
    this.#settle.reject(error);
  }

  #leave(): void {
    this.#state = 'over';
    clearTimeout(this.#deadline);
    for (const stream of this.#streams) stream.destroy();
  }
}
