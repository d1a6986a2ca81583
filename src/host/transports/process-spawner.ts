import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { signalGroup } from './process-group.ts';
import { type ProcessEvents, type ServerCommand, type ServerProcess, startDirectly } from './server-process.ts';
import { NoSocket, SpawnedProcess } from './spawned-process.ts';
import { type SpawnerAnswer, type SpawnerOrder, spawnerLine } from './spawner-orders.ts';

type SpawnerProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Starts servers through the spawner process, and tells it which process groups to end if this process dies. */
export class ProcessSpawner {
  #process: SpawnerProcess | undefined;
  readonly #watched = new Set<number>();
  readonly #started = new Map<number, SpawnedProcess>();
  #lastStart = 0;
  #hasNoSocket = false;

  /** Starts a server in its own process group; rejects with the system's error. */
  async start(command: ServerCommand, events: ProcessEvents): Promise<ServerProcess> {
    const server = await (process.platform === 'win32' || this.#hasNoSocket
      ? startDirectly(command, events)
      : this.#startBySpawner(command, events).catch((thrown: unknown) =>
          this.#startWithoutSocket(thrown, command, events),
        ));
    try {
      this.#process ??= this.#startSpawner();
    } catch (thrown) {
      // Without a spawner that watches it, the server could outlive this process.
      signalGroup(server.pid, 'SIGKILL');
      throw thrown;
    }
    this.#watched.add(server.pid);
    this.#tell({ watch: server.pid });
    return server;
  }

  forget(pid: number): void {
    if (this.#watched.delete(pid)) this.#tell({ forget: pid });
  }

  /** Closes the spawner; it exits at once if it watches nothing. */
  close(): void {
    this.#process?.stdin.end();
    this.#process = undefined;
  }

  /** Without a writable folder for sockets, servers start as children of this process. */
  #startWithoutSocket(thrown: unknown, command: ServerCommand, events: ProcessEvents): Promise<ServerProcess> {
    if (!(thrown instanceof NoSocket)) throw thrown;
    this.#hasNoSocket = true;
    return startDirectly(command, events);
  }

  #startBySpawner(command: ServerCommand, events: ProcessEvents): Promise<ServerProcess> {
    this.#process ??= this.#startSpawner();
    this.#lastStart += 1;
    const id = this.#lastStart;
    const spawned = new SpawnedProcess(
      id,
      command,
      {
        ...events,
        onEnd: (code, signal) => {
          this.#leave(id);
          events.onEnd(code, signal);
        },
      },
      (order) => this.#tell(order),
    );
    this.#started.set(id, spawned);
    this.#process.ref();
    spawned.started.catch(() => this.#leave(id));
    return spawned.started;
  }

  /** Running servers keep this process alive, as child processes would; the spawner alone does not. */
  #leave(id: number): void {
    this.#started.delete(id);
    if (this.#started.size === 0) this.#process?.unref();
  }

  #startSpawner(): SpawnerProcess {
    // The script is next to this file, both as source and compiled.
    const script = fileURLToPath(new URL(`./spawner-process${extname(import.meta.url)}`, import.meta.url));
    const child = spawn(process.execPath, [script, tmpdir()], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      windowsHide: true,
      env: {},
    });
    const started = () => [...this.#started.values()];
    // A spawner that dies is replaced at the next start, which sends it all watched groups.
    const forget = () => {
      if (this.#process !== child) return;
      this.#process = undefined;
      for (const one of started()) one.onSpawnerLost();
    };
    child.on('error', forget);
    child.on('exit', forget);
    // Node creates no streams if it has no file descriptors left.
    if (!child.stdout) throw new Error('too many files are open');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as SpawnerAnswer;
      this.#started.get(answer.id)?.onAnswer(answer);
    });
    child.stdin.on('error', forget);
    child.unref();
    for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref?: () => void }).unref?.();
    for (const pid of this.#watched) child.stdin.write(spawnerLine({ watch: pid }));
    return child;
  }

  #tell(order: SpawnerOrder): void {
    this.#process?.stdin.write(spawnerLine(order));
  }
}
