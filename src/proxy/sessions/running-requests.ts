import { Cancellation } from '../../contract/cancellation.ts';
import type { MessageId } from '../../contract/json.ts';
import { ShortLivedMap } from '../../contract/short-lived-map.ts';

/** The running requests of one client, so that it can cancel them. */
export class RunningRequests {
  readonly #running = new ShortLivedMap<MessageId, Cancellation>();

  get size(): number {
    return this.#running.size;
  }

  /** Registers a running request. The result is aborted if the client cancels it. */
  begin(id: MessageId): Cancellation {
    const running = new Cancellation();
    this.#running.set(id, running);
    return running;
  }

  /** Removes a request that has ended. */
  end(id: MessageId, running: Cancellation): void {
    if (this.#running.get(id) === running) this.#running.delete(id);
  }

  /** Cancels a request; false if it does not run here. */
  cancel(id: unknown): boolean {
    const running = typeof id === 'string' || typeof id === 'number' ? this.#running.get(id) : undefined;
    running?.abort(new Error('cancelled by the client'));
    return running !== undefined;
  }

  cancelAll(): void {
    for (const running of this.#running.values()) running.abort(new Error('the client is gone'));
  }
}
