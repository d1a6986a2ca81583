import { CONNECTION_LIMITS } from '../connection/limits.ts';

/**
 * A semaphore for bodies that are kept whole and have become large, by entry: a server that answers many calls at once has the memory of
 * a few answers, and the other answers wait on their connections. A server that does not finish them holds up only itself.
 */
export class LargeBodies {
  #reading = 0;
  readonly #waiting = new Set<() => void>();

  /** Takes a place. False: there is none, and `onPlace` is called when there is. */
  acquire(onPlace: () => void): boolean {
    if (this.#reading < CONNECTION_LIMITS.largeBodiesMax) {
      this.#reading += 1;
      return true;
    }
    this.#waiting.add(onPlace);
    return false;
  }

  /** Gives a place back, or stops waiting for one. */
  release(onPlace: () => void): void {
    if (this.#waiting.delete(onPlace)) return;
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

/** Those of an entry, which is known by its object. */
export function largeBodiesOf(entry: object): LargeBodies {
  const known = byEntry.get(entry) ?? new LargeBodies();
  byEntry.set(entry, known);
  return known;
}
