import { UP_LIMITS } from '../limits.ts';

interface KeptEvent {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** The last events, for readers that come back: so many, and no more than so many bytes of them. */
export class KeptEvents {
  #events: KeptEvent[] = [];
  #bytes = 0;
  #lastId = 0;

  get lastId(): number {
    return this.#lastId;
  }

  /** Keeps what `write` makes of the next id, and gives it back; one that is larger than all may be is not kept. */
  add(write: (id: number) => Uint8Array): Uint8Array {
    this.#lastId += 1;
    const bytes = write(this.#lastId);
    this.#events.push({ id: this.#lastId, bytes });
    this.#bytes += bytes.length;
    let surplus = 0;
    while (this.#events.length - surplus > UP_LIMITS.eventsKeptMax || this.#bytes > UP_LIMITS.eventBytesKeptMax) {
      this.#bytes -= (this.#events[surplus] as KeptEvent).bytes.length;
      surplus += 1;
    }
    if (surplus > 0) this.#events = this.#events.slice(surplus);
    return bytes;
  }

  /** The events after the one with this id; undefined if some of them were evicted, or the id is unknown. */
  after(id: number): Uint8Array[] | undefined {
    const oldest = this.#events[0]?.id ?? this.#lastId + 1;
    if (id < oldest - 1 || id > this.#lastId) return undefined;
    return this.#events.slice(id - oldest + 1).map(({ bytes }) => bytes);
  }
}
