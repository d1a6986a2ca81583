import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { STORE_LIMITS as LIMITS } from '../limits.ts';

export type EmptierOrder = 'empty' | 'close';

/** How long the write-ahead log is, now that what stood in it is in its place; undefined where that could not be done. */
export interface EmptierAnswer {
  readonly pages: number | undefined;
}

/** About what a transaction writes: pages of its own, and records with what is kept beside them. */
const PAGES_OF_COMMIT = 3;
const RECORD_BYTES_OF_PAGE = 3_000;

/** The same file beside this one: JavaScript when built, TypeScript in the sources. */
const MODULE = new URL(`./wal-emptier-worker${extname(import.meta.url)}`, import.meta.url);

export interface WalEmptierPorts {
  /** Writing may go on. */
  onFree(): void;
  /** The thread is gone: from now on whoever writes has to see to it. */
  onBroken(error: unknown): void;
}

/**
 * Puts what stands in the write-ahead log of a database into its place, in a thread: that waits for the disk, and on the event loop
 * every call would wait with it. The log begins anew when all of it is in its place; whoever writes without a pause is always a little
 * ahead, so that writing rests for a moment when the log has grown large, and when the disk cannot keep up.
 */
export class WalEmptier {
  readonly #file: string;
  readonly #ports: WalEmptierPorts;
  readonly #module: URL;
  #worker: Worker | undefined;
  /** Pages that were written since it was last begun to empty it. */
  #pages = 0;
  #isEmptying = false;
  #isBroken = false;
  #isHolding = false;
  #holdAt: number = LIMITS.auditWalPagesMax;

  constructor(file: string, ports: WalEmptierPorts, module: URL = MODULE) {
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
    if (!this.#isEmptying) this.#empty();
    else if (this.#pages >= LIMITS.auditWalPagesMax) this.#isHolding = true;
  }

  /** Ends the thread, where there is one: it closes the file. */
  end(): Promise<void> | undefined {
    const worker = this.#worker;
    if (!worker) return undefined;
    this.#worker = undefined;
    worker.removeAllListeners();
    this.#isHolding = false;
    worker.postMessage('close' satisfies EmptierOrder);
    worker.ref();
    return once(worker, 'exit').then(
      () => {},
      // It broke instead.
      () => {},
    );
  }

  #empty(): void {
    this.#isEmptying = true;
    this.#pages = 0;
    this.#worker ??= this.#start();
    this.#worker.postMessage('empty' satisfies EmptierOrder);
  }

  #start(): Worker {
    // Flags of the process are not the thread's.
    const worker = new Worker(this.#module, { workerData: { file: this.#file }, execArgv: [] });
    worker.unref();
    worker.on('message', (answer: EmptierAnswer) => this.#onEmptied(answer));
    worker.on('error', (error) => this.#onBroken(error));
    worker.on('exit', (code) => this.#onBroken(new Error(`the thread ended with ${code}`)));
    return worker;
  }

  #onEmptied({ pages = 0 }: EmptierAnswer): void {
    this.#isEmptying = false;
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
