import { setMaxListeners } from 'node:events';

/**
 * Keys that opened something since they were made known here, each with a signal for what outlives its request: a stream asks for no
 * credential again. There are never more than there are keys that open anything.
 */
export class KeysInUse {
  readonly #used = new Map<string, AbortController>();

  /** Aborted when the key is found to open nothing any more. */
  overOf(id: string): AbortSignal {
    return (this.#used.get(id) ?? this.#begin(id)).signal;
  }

  /** Ends what was opened by keys that open nothing any more. */
  endLapsed(opens: (id: string) => boolean): void {
    for (const [id, ending] of this.#used) {
      if (opens(id)) continue;
      this.#used.delete(id);
      ending.abort();
    }
  }

  #begin(id: string): AbortController {
    const ending = new AbortController();
    // As many as there are streams that the key opened.
    setMaxListeners(0, ending.signal);
    this.#used.set(id, ending);
    return ending;
  }
}
