import { statSync } from 'node:fs';
import { STORE_LIMITS as LIMITS } from '../limits.ts';

/** Checks that an open file still exists under its name. A removed or replaced file accepts writes that can never be read. */
export class KeptFile {
  readonly #file: string;
  readonly #identity: string | undefined;
  #isKept = true;
  #lookAgainAt = 0;

  constructor(file: string) {
    this.#file = file;
    this.#identity = this.#look();
  }

  /** Cached for a short time. */
  isKept(): boolean {
    const now = performance.now();
    if (now < this.#lookAgainAt) return this.#isKept;
    this.#lookAgainAt = now + LIMITS.auditLookEveryMs;
    this.#isKept = this.#look() === this.#identity;
    return this.#isKept;
  }

  #look(): string | undefined {
    try {
      const { dev, ino } = statSync(this.#file);
      return `${dev}/${ino}`;
    } catch {
      // Any error counts as "not found".
      return undefined;
    }
  }
}
