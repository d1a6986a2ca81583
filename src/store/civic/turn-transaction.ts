import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BinderyError } from '../../contract/errors.ts';

interface Waiting {
  readonly work: () => unknown;
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

type Outcome = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly thrown: unknown };

/** Side effects that run only once the work is durable. */
export interface Aftermath {
  /** Returns a function that cancels everything requested from now on. */
  checkpoint(): () => void;
  /** Runs the requested effects; never throws. */
  settle(): void;
}

/** Statements that roll back one piece of work and keep the others. */
interface Savepoint {
  readonly begin: StatementSync;
  readonly release: StatementSync;
  readonly rollback: StatementSync;
}

/**
 * One transaction per turn of the event loop: all work of a turn runs at its end and shares a commit, and each promise settles only when
 * that commit is durable. Work that throws is rolled back alone. No transaction stays open between turns, so another connection of this
 * process can write to the same file.
 */
export class TurnTransaction {
  readonly #databases: readonly DatabaseSync[];
  readonly #savepoints: readonly Savepoint[];
  readonly #aftermath: Aftermath;
  #waiting: Waiting[] = [];
  #isClosed = false;

  /** `first` commits before `main`; the aftermath runs after both. */
  constructor(first: DatabaseSync, main: DatabaseSync, aftermath: Aftermath) {
    this.#databases = [first, main];
    this.#savepoints = this.#databases.map((database) => ({
      begin: database.prepare('SAVEPOINT work'),
      release: database.prepare('RELEASE work'),
      rollback: database.prepare('ROLLBACK TO work'),
    }));
    this.#aftermath = aftermath;
  }

  run<T>(work: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(new BinderyError('STORE_UNAVAILABLE'));
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
    });
  }

  /** Runs pending work and refuses further work, so that the databases can be closed. */
  close(): void {
    this.flush();
    this.#isClosed = true;
  }

  /** Runs pending work now instead of at the end of the turn. */
  flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    const takeBack = this.#aftermath.checkpoint();
    let outcomes: Outcome[];
    try {
      for (const database of this.#databases) database.exec('BEGIN IMMEDIATE');
      outcomes = batch.map(({ work }) => this.#runAlone(work));
      for (const database of this.#databases) database.exec('COMMIT');
    } catch (thrown) {
      takeBack();
      for (const database of this.#databases) rollBack(database);
      for (const { reject } of batch) reject(thrown);
      return;
    }
    this.#aftermath.settle();
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] as Outcome;
      if (outcome.ok) resolve(outcome.result);
      else reject(outcome.thrown);
    }
  }

  #runAlone(work: () => unknown): Outcome {
    const takeBack = this.#aftermath.checkpoint();
    for (const { begin } of this.#savepoints) begin.run();
    let outcome: Outcome;
    try {
      outcome = { ok: true, result: work() };
    } catch (thrown) {
      takeBack();
      for (const { rollback } of this.#savepoints) rollback.run();
      outcome = { ok: false, thrown };
    }
    for (const { release } of this.#savepoints) release.run();
    return outcome;
  }
}

/** A disk that fails the commit may fail the rollback too. Callers get the commit's error, and the next turn retries. */
function rollBack(database: DatabaseSync): void {
  try {
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {}
}
