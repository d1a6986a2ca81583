import type { DatabaseSync, StatementSync } from 'node:sqlite';

interface Waiting {
  readonly work: () => unknown;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly thrown: unknown };

/**
 * One transaction per turn of the event loop: all work that arrives in a turn is run together at its end and shares a
 * commit, and each promise settles only when that commit is durable. Work that throws is undone alone. No transaction is
 * open between turns, so another connection of this process can write to the same file.
 */
export class TurnTransaction {
  readonly #databases: readonly DatabaseSync[];
  readonly #savepoint: StatementSync;
  readonly #release: StatementSync;
  readonly #rollback: StatementSync;
  readonly #afterCommit: () => void;
  #waiting: Waiting[] = [];

  /**
   * `first` commits before `main`, and only `main` is undone where work throws: what stays in `first` then is a salt that
   * nobody uses. `afterCommit` runs when both have committed, and throws nothing.
   */
  constructor(first: DatabaseSync, main: DatabaseSync, afterCommit: () => void) {
    this.#databases = [first, main];
    this.#savepoint = main.prepare('SAVEPOINT work');
    this.#release = main.prepare('RELEASE work');
    this.#rollback = main.prepare('ROLLBACK TO work');
    this.#afterCommit = afterCommit;
  }

  run<T>(work: () => T): Promise<T> {
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
    });
  }

  /** Does now what waits for the end of the turn. */
  flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    let outcomes: Outcome[];
    try {
      for (const database of this.#databases) database.exec('BEGIN IMMEDIATE');
      outcomes = batch.map(({ work }) => this.#runAlone(work));
      for (const database of this.#databases) database.exec('COMMIT');
    } catch (thrown) {
      for (const database of this.#databases) if (database.isTransaction) database.exec('ROLLBACK');
      for (const { reject } of batch) reject(thrown);
      return;
    }
    this.#afterCommit();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] as Outcome;
      if (outcome.ok) resolve(outcome.result);
      else reject(outcome.thrown);
    }
  }

  #runAlone(work: () => unknown): Outcome {
    this.#savepoint.run();
    try {
      const result = work();
      this.#release.run();
      return { ok: true, result };
    } catch (thrown) {
      this.#rollback.run();
      this.#release.run();
      return { ok: false, thrown };
    }
  }
}
