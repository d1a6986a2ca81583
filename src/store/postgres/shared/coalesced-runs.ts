/** Runs one job at a time. Requests that arrive during a run share the next run. */
export class CoalescedRuns {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  run(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#work().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => {
        // The callers of that run received the error.
      })
      .then(() => {
        this.#next = undefined;
        return this.run();
      });
    return this.#next;
  }

  async idle(): Promise<void> {
    while (this.#running) await this.#running.catch(() => {});
  }
}
