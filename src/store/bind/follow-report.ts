import type { Log } from '../../contract/ports.ts';

/** Says once that zones cannot be followed, and once that they are again: whoever follows looks several times a second. */
export class FollowReport {
  readonly #log: Log;
  #isLost = false;

  constructor(log: Log) {
    this.#log = log;
  }

  followed(): void {
    if (this.#isLost) this.#log.info('zones are followed again');
    this.#isLost = false;
  }

  lost(error: unknown): void {
    if (!this.#isLost) this.#log.error('zones cannot be followed, and stay as they are', { error });
    this.#isLost = true;
  }
}
