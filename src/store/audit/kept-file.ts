import { statSync } from 'node:fs';
import { STORE_LIMITS as LIMITS } from '../limits.ts';

/**
 * Whether an open file is still found under its name. One that was removed or replaced takes every write, and nobody can ever read
 * what went there.
 */
export class KeptFile {
  readonly #file: string;
  readonly #identity: string | undefined;
  #isKept = true;
  #lookAgainAt = 0;

  constructor(file: string) {
    this.#file = file;
    this.#identity = this.#look();
  }

  /** Looked up now and then: as of a moment ago. */
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
      // Whatever the reason: it is not found.
      return undefined;
    }
  }
}
