import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * One transaction per turn of the event loop: all work that arrives in a turn shares a commit, and each promise
 * resolves only when that commit is durable. Work that throws is undone alone.
 */
export class TurnTransaction {
  readonly #databases: readonly DatabaseSync[];
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #rollback: StatementSync;
  readonly #afterCommit: () => void;
  #waiting: { resolve: () => void; reject: (reason: unknown) => void }[] | undefined;

  /**
   * `first` commits before `main`, and only `main` is undone where work throws: what stays in `first` then is a salt that
   * nobody uses. `afterCommit` runs when both have committed, and throws
   * nothing.
   */
  constructor(first: DatabaseSync, main: DatabaseSync, afterCommit: () => void) {
    this.#databases = [first, main];
    this.#savepoint = main.prepare('SAVEPOINT work');
    this.#release = main.prepare('RELEASE work');
    this.#rollback = main.prepare('ROLLBACK TO work');
    this.#afterCommit = afterCommit;
  }

  async run<T>(work: () => T): Promise<T> {
    const committed = this.#join();
    try {
      const result = this.#runAlone(work);
      await committed;
      return result;
    } catch (thrown) {
      // What this work did is undone; the neighbours' commit must still not go unobserved.
      await committed;
      throw thrown;
    }
  }

  /** Commits now what waits for the end of the turn. */
  flush(): void {
    if (this.#waiting) this.#commit();
  }

  #runAlone<T>(work: () => T): T {
    this.#savepoint.run();
    try {
      const result = work();
      this.#release.run();
      return result;
    } catch (thrown) {
      this.#rollback.run();
      this.#release.run();
      throw thrown;
    }
  }

  #join(): Promise<void> {
    if (!this.#waiting) {
      try {
        for (const database of this.#databases) database.exec('BEGIN IMMEDIATE');
      } catch (thrown) {
        this.#rollbackAll();
        throw thrown;
      }
      this.#waiting = [];
      setImmediate(() => this.#commit());
    }
    const waiting = this.#waiting;
    return new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
    });
  }

  #commit(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    try {
      for (const database of this.#databases) database.exec('COMMIT');
    } catch (thrown) {
      this.#rollbackAll();
      for (const { reject } of waiting) reject(thrown);
      return;
    }
    for (const { resolve } of waiting) resolve();
    this.#afterCommit();
  }

  #rollbackAll(): void {
    for (const database of this.#databases) if (database.isTransaction) database.exec('ROLLBACK');
  }
}
