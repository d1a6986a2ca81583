import type { Log } from './ports.ts';

/**
 * Logs once that something fails, and once that it succeeds again: background work that retries twice a second or with every change
 * would fill the log.
 */
export class FailureReport {
  readonly #log: Log;
  readonly #words: { readonly failing: string; readonly again: string };
  #isFailing = false;

  constructor(log: Log, words: { readonly failing: string; readonly again: string }) {
    this.#log = log;
    this.#words = words;
  }

  succeeded(): void {
    if (this.#isFailing) this.#log.info(this.#words.again);
    this.#isFailing = false;
  }

  failed(error: unknown): void {
    if (!this.#isFailing) this.#log.error(this.#words.failing, { error });
    this.#isFailing = true;
  }

  /** Runs work and logs its failure instead of throwing; returns whether it succeeded. */
  attempt(work: () => unknown): boolean {
    try {
      work();
    } catch (error) {
      this.failed(error);
      return false;
    }
    this.succeeded();
    return true;
  }
}
