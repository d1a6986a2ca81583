import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { STORE_LIMITS as LIMITS } from '../limits.ts';

export type CheckpointOrder = 'empty' | 'close';

/** Pages left in the write-ahead log after a checkpoint; undefined where it failed. */
export interface CheckpointAnswer {
  readonly pages: number | undefined;
}

/** About what a transaction writes: pages of its own, and records with what is kept beside them. */
const PAGES_OF_COMMIT = 3;
const RECORD_BYTES_OF_PAGE = 3_000;

/** The same file beside this one: JavaScript when built, TypeScript in the sources. */
const MODULE = new URL(`./wal-checkpointer-worker${extname(import.meta.url)}`, import.meta.url);

export interface WalCheckpointerPorts {
  /** Writing may go on. */
  onFree(): void;
  /** The thread has ended: from now on the writer has to checkpoint. */
  onBroken(error: unknown): void;
}

/**
 * A worker thread checkpoints the WAL of a database: a checkpoint waits for the disk, and on the event loop every call would wait with
 * it. The log starts anew when all of it is checkpointed. A writer without a pause stays a little ahead of that, so writing pauses
 * when the log has grown large or the disk cannot keep up (backpressure).
 */
export class WalCheckpointer {
  readonly #file: string;
  readonly #ports: WalCheckpointerPorts;
  readonly #module: URL;
  #worker: Worker | undefined;
  /** Pages that were written since it was last begun to empty it. */
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

  /** Whether writing is to rest. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** Records of so many bytes were committed. */
  wrote(bytes: number): void {
    this.#pages += PAGES_OF_COMMIT + bytes / RECORD_BYTES_OF_PAGE;
    if (this.#pages < LIMITS.auditWalEmptyPages || this.#isBroken) return;
    if (!this.#isCheckpointing) this.#empty();
    else if (this.#pages >= LIMITS.auditWalPagesMax) this.#isHolding = true;
  }

  /** Ends the thread, where there is one: it closes the file. */
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
      // It broke instead.
      () => {},
    );
  }

  #empty(): void {
    this.#isCheckpointing = true;
    this.#pages = 0;
    this.#worker ??= this.#start();
    this.#worker.postMessage('empty' satisfies CheckpointOrder);
  }

  #start(): Worker {
    // Flags of the process are not the thread's.
    const worker = new Worker(this.#module, { workerData: { file: this.#file }, execArgv: [] });
    worker.unref();
    worker.on('message', (answer: CheckpointAnswer) => this.#onEmptied(answer));
    worker.on('error', (error) => this.#onBroken(error));
    worker.on('exit', (code) => this.#onBroken(new Error(`the thread ended with ${code}`)));
    return worker;
  }

  #onEmptied({ pages = 0 }: CheckpointAnswer): void {
    this.#isCheckpointing = false;
    if (this.#isHolding) {
      this.#isHolding = false;
      this.#ports.onFree();
      return;
    }
    if (pages < LIMITS.auditWalPagesMax) this.#holdAt = LIMITS.auditWalPagesMax;
    if (pages < this.#holdAt) return;
    this.#isHolding = true;
    // Where somebody reads what is in the log, it stays as long as it is: then writing is not held up again soon.
    this.#holdAt = pages * 2;
    this.#empty();
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
