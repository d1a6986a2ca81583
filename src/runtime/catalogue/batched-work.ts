interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (done: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs work as one transaction. */
export type Together = <T>(work: () => T) => T;

/**
 * Runs queued work in batches: each batch is one transaction in its own turn of the event loop, so other work runs in between. If a
 * batch fails, each item is retried alone, so work must be repeatable.
 */
export class BatchedWork {
  readonly #together: Together;
  readonly #atOnceMax: number;
  readonly #waiting: Waiting[] = [];
  #isPlanned = false;

  constructor(together: Together, atOnceMax: number) {
    this.#together = together;
    this.#atOnceMax = atOnceMax;
  }

  /** Resolves with the result of the work after its transaction was committed. */
  do<T>(work: () => T): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#plan();
    }) as Promise<T>;
  }

  /** Whether the queue is empty. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#run(this.#waiting.splice(0, this.#atOnceMax));
      this.#plan();
    });
  }

  #run(batch: readonly Waiting[]): void {
    try {
      const done = this.#together(() => batch.map(({ work }) => work()));
      batch.forEach(({ resolve }, index) => {
        resolve(done[index]);
      });
    } catch {
      for (const waiting of batch) this.#runAlone(waiting);
    }
  }

  #runAlone({ work, resolve, reject }: Waiting): void {
    try {
      resolve(this.#together(work));
    } catch (error) {
      reject(error);
    }
  }
}
