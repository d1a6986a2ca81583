import type { FailureReport } from '../../contract/failure-report.ts';

/** Work beside the calls, one piece after the other. A piece that fails ends nothing else, and is said once. */
export class Chores {
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  add(report: FailureReport, work: () => Promise<unknown>): void {
    this.#last = this.#last.then(() => this.#do(report, work));
  }

  /** Resolves when the piece that runs is done; no other is begun. */
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
