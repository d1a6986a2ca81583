/** Runs work one at a time; whoever asks while it runs gets the run after it, which all who wait share. */
export class Latest {
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
        // Whoever asked for that run was told.
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
