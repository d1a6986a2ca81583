import { CONNECTION_LIMITS } from '../connection/limits.ts';

/**
 * A semaphore per entry for large buffered bodies: if a server answers many calls at once, only a few answers occupy memory, and the
 * others wait on their connections. A server that does not finish its answers blocks only itself.
 */
export class LargeBodies {
  #reading = 0;
  readonly #waiting = new Set<() => void>();

  /** Acquires a slot. False: all are taken, and `onSlot` is called when one is free. */
  acquire(onSlot: () => void): boolean {
    if (this.#reading < CONNECTION_LIMITS.largeBodiesMax) {
      this.#reading += 1;
      return true;
    }
    this.#waiting.add(onSlot);
    return false;
  }

  /** Releases a slot, or stops waiting for one. */
  release(onSlot: () => void): void {
    if (this.#waiting.delete(onSlot)) return;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#reading -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

const byEntry = new WeakMap<object, LargeBodies>();

/** The semaphore of an entry, identified by its object. */
export function largeBodiesOf(entry: object): LargeBodies {
  const known = byEntry.get(entry) ?? new LargeBodies();
  byEntry.set(entry, known);
  return known;
}
