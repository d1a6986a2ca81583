import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { STORE_LIMITS as LIMITS } from '../limits.ts';

export type CheckpointOrder = 'checkpoint' | 'close';

/** Pages in the WAL after a checkpoint; undefined if it failed. */
export interface CheckpointAnswer {
  readonly pages: number | undefined;
}

/** Rough estimate of what a transaction writes: its own pages, and record bytes per page. */
const PAGES_OF_COMMIT = 3;
const RECORD_BYTES_OF_PAGE = 3_000;

/** The worker module next to this file: JavaScript when built, TypeScript in the sources. */
const MODULE = new URL(`./wal-checkpointer-worker${extname(import.meta.url)}`, import.meta.url);

export interface WalCheckpointerPorts {
  /** The writer may continue. */
  onFree(): void;
  /** The thread has ended: the writer has to checkpoint from now on. */
  onBroken(error: unknown): void;
}

/**
 * A worker thread checkpoints the WAL: a checkpoint waits for the disk, and on the event loop it would delay every call. SQLite reuses the
 * log once all of it is checkpointed; a busy writer never lets that happen, so writing pauses when the log is too large or the disk too
 * slow (backpressure).
 */
export class WalCheckpointer {
  readonly #file: string;
  readonly #ports: WalCheckpointerPorts;
  readonly #module: URL;
  #worker: Worker | undefined;
  /** Pages written since the last checkpoint was ordered. */
  #pages = 0;
  #isCheckpointing = false;
  #isBroken = false;
  #isHolding = false;
  #holdAt: number = LIMITS.auditWalPagesMax;

  constructor(file: string, ports: WalCheckpointerPorts, module: URL = MODULE) {
    this.#file = file;
    this.#ports = ports;
    this.#module = module;
  }

  /** Whether the writer must pause. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Counts a commit of `bytes` bytes. */
  wrote(bytes: number): void {
    this.#pages += PAGES_OF_COMMIT + bytes / RECORD_BYTES_OF_PAGE;
    if (this.#pages < LIMITS.auditWalCheckpointPages || this.#isBroken) return;
    if (!this.#isCheckpointing) this.#checkpoint();
    else if (this.#pages >= LIMITS.auditWalPagesMax) this.#isHolding = true;
  }

  /** Ends the thread, if one runs; it closes its connection. */
  end(): Promise<void> | undefined {
    const worker = this.#worker;
    if (!worker) return undefined;
    this.#worker = undefined;
    worker.removeAllListeners();
    this.#isHolding = false;
    worker.postMessage('close' satisfies CheckpointOrder);
    worker.ref();
    return once(worker, 'exit').then(
      () => {},
      // The thread failed instead.
      () => {},
    );
  }

  #checkpoint(): void {
    this.#isCheckpointing = true;
    this.#pages = 0;
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint' satisfies CheckpointOrder);
  }

  #start(): Worker {
    // Do not inherit the process's flags.
    const worker = new Worker(this.#module, { workerData: { file: this.#file }, execArgv: [] });
    worker.unref();
    worker.on('message', (answer: CheckpointAnswer) => this.#onCheckpointed(answer));
    worker.on('error', (error) => this.#onBroken(error));
    worker.on('exit', (code) => this.#onBroken(new Error(`the thread ended with ${code}`)));
    return worker;
  }

  #onCheckpointed({ pages = 0 }: CheckpointAnswer): void {
    this.#isCheckpointing = false;
    if (this.#isHolding) {
      this.#isHolding = false;
      this.#ports.onFree();
      return;
    }
    if (pages < LIMITS.auditWalPagesMax) this.#holdAt = LIMITS.auditWalPagesMax;
    if (pages < this.#holdAt) return;
    this.#isHolding = true;
    // A reader may keep the log from shrinking: do not pause again until it has doubled.
    this.#holdAt = pages * 2;
    this.#checkpoint();
  }

  #onBroken(error: unknown): void {
    if (!this.#worker) return;
    this.#worker.removeAllListeners();
    this.#worker = undefined;
    this.#isHolding = false;
    this.#isBroken = true;
    this.#ports.onBroken(error);
  }
}
