import type { FailureReport } from '../../contract/failure-report.ts';

/** Background jobs, one after the other. A failed job stops no other, and is logged once. */
export class Chores {
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  add(report: FailureReport, work: () => Promise<unknown>): void {
    this.#last = this.#last.then(() => this.#do(report, work));
  }

  /** Resolves when the running job is done; starts no other. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
  }

  async #do(report: FailureReport, work: () => Promise<unknown>): Promise<void> {
    if (this.#isClosed) return;
    try {
      await work();
      report.succeeded();
    } catch (error) {
      report.failed(error);
    }
  }
}
