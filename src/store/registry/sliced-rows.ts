import type { Log } from '../../contract/ports.ts';
import { STORE_LIMITS } from '../limits.ts';

/** Writes rows: at once, or the first ones at once and the others later. */
export type WriteRows = <T>(rows: readonly T[], write: (row: T) => void, atEnd?: () => void) => void;

export const writeAll: WriteRows = (rows, write, atEnd) => {
  for (const row of rows) write(row);
  atEnd?.();
};

/** Whether a list is too long to be written at once. */
export function isLongList(rows: readonly unknown[]): boolean {
  return rows.length > STORE_LIMITS.rowsAtOnce;
}

interface SlicedRowsOptions {
  /** Runs work as one transaction. */
  readonly together: (work: () => void) => void;
  readonly log: Log;
}

/**
 * Writes the rows of long lists over several turns of the event loop, each slice in a transaction of its own: ten thousand rows at once
 * would block all calls. Lists are read from the stored offer, so nobody misses rows that are still to be written.
 */
export class SlicedRows {
  readonly #options: SlicedRowsOptions;
  /** Slices to write, by the name of their list. */
  readonly #rest = new Map<string, (() => void)[]>();
  #isPlanned = false;

  constructor(options: SlicedRowsOptions) {
    this.#options = options;
  }

  /** Writes the rows of a list. Call `drop` first if they replace rows that are still to be written. */
  of(list: string): WriteRows {
    return (rows, write, atEnd) => {
      const { rowsAtOnce } = STORE_LIMITS;
      const isLong = isLongList(rows);
      writeAll(isLong ? rows.slice(0, rowsAtOnce) : rows, write, isLong ? undefined : atEnd);
      if (!isLong) return;
      const rest = this.#restOf(list);
      for (let at = rowsAtOnce; at < rows.length; at += rowsAtOnce) {
        const slice = rows.slice(at, at + rowsAtOnce);
        rest.push(() => writeAll(slice, write, at + rowsAtOnce < rows.length ? undefined : atEnd));
      }
      this.#plan();
    };
  }

  /** Does work for a list in a later turn. */
  later(list: string, work: () => void): void {
    this.#restOf(list).push(work);
    this.#plan();
  }

  /** Writes what is left of a list now. */
  flush(list: string): void {
    this.#options.together(() => {
      for (let rest = this.#rest.get(list); rest; rest = this.#rest.get(list)) {
        this.drop(list);
        for (const write of rest) write();
      }
    });
  }

  /** Leaves out what is left of a list. */
  drop(list: string): void {
    this.#rest.delete(list);
  }

  end(): void {
    this.#rest.clear();
  }

  #restOf(list: string): (() => void)[] {
    const rest = this.#rest.get(list) ?? [];
    this.#rest.set(list, rest);
    return rest;
  }

  #plan(): void {
    if (this.#isPlanned || this.#rest.size === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#writeNext();
      this.#plan();
    });
  }

  #writeNext(): void {
    const [next] = this.#rest;
    if (!next) return;
    const [list, rest] = next;
    try {
      const write = rest.shift();
      if (write) this.#options.together(write);
      if (rest.length === 0) this.drop(list);
    } catch (error) {
      // The next list of the server writes them again.
      this.drop(list);
      this.#options.log.warn('rows of the registry could not be written', { server: list, error });
    }
  }
}
