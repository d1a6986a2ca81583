import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import type { EndedCall } from '../audit/call-recorder.ts';
import { UP_LIMITS } from '../limits.ts';
import { type FromWorker, type ToWorker, WORKER_ENV } from './messages.ts';

export interface WorkerSetOptions {
  readonly workers: number;
  /** The port of all workers, including replacements. */
  readonly port: string;
  readonly log: Log;
  onCalls(calls: readonly EndedCall[]): void;
  policyFiles(): readonly string[];
}

/** The worker processes of a primary: starts them, keeps them up to date, replaces dead ones, and stops them. */
export class WorkerSet {
  /** The socket for requests that workers forward. It is in a private folder. */
  readonly socketPath: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'bindery-'));
  readonly #options: WorkerSetOptions;
  readonly #workers = new Set<Worker>();
  #ending = false;

  constructor(options: WorkerSetOptions) {
    this.#options = options;
    this.socketPath = join(this.#folder, 'primary.sock');
  }

  /** Starts the workers. Returns their shared port when all of them listen. */
  async start(): Promise<number> {
    const ports = await Promise.all(Array.from({ length: this.#options.workers }, () => this.#fork()));
    return ports[0] as number;
  }

  tell(message: ToWorker): void {
    for (const worker of this.#workers) if (worker.isConnected()) worker.send(message);
  }

  /** Waits up to `graceMs` for running calls. */
  async drain(graceMs: number): Promise<void> {
    this.#ending = true;
    this.tell({ kind: 'drain' });
    const deadline = Date.now() + graceMs;
    while (this.#workers.size > 0 && Date.now() < deadline) await new Promise((next) => setTimeout(next, 20));
  }

  close(): void {
    this.#ending = true;
    for (const worker of this.#workers) worker.process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fork(): Promise<number> {
    const worker = cluster.fork({
      [WORKER_ENV.socket]: this.socketPath,
      [WORKER_ENV.port]: this.#options.port,
      [WORKER_ENV.workers]: String(this.#options.workers),
      [WORKER_ENV.policyFiles]: JSON.stringify(this.#options.policyFiles()),
    });
    this.#workers.add(worker);
    return new Promise((resolve, reject) => {
      worker.once('listening', ({ port }: Pick<AddressInfo, 'port'>) => resolve(port));
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'calls') this.#options.onCalls(message.calls);
        else reject(cannotListen(message.code));
      });
      // Sending to an exiting worker fails; its exit is handled below.
      worker.on('error', () => {});
      worker.once('exit', (code, signal) => {
        this.#workers.delete(worker);
        reject(new Error(`a worker ended with ${signal ?? code} before it listened`));
        if (!this.#ending) this.#replace(worker, signal ?? String(code));
      });
    });
  }

  #replace(worker: Worker, reason: string): void {
    this.#options.log.warn('a worker exited and is being replaced', { pid: worker.process.pid, reason });
    setTimeout(() => {
      if (this.#ending) return;
      this.#fork().catch((error: unknown) => this.#options.log.error('a worker could not be replaced', { error }));
    }, UP_LIMITS.replaceWorkerAfterMs);
  }
}

function cannotListen(code: string): Error {
  return code === 'EADDRINUSE' ? new BinderyError('PORT_IN_USE') : new Error(`a worker cannot listen (${code})`);
}
