import { ShortLivedMap } from '../contract/short-lived-map.ts';
import type { MessageId } from '../wire/json.ts';

/** Requests of one client that run now, so that it can cancel them. */
export class RunningRequests {
  readonly #running = new ShortLivedMap<MessageId, AbortController>();

  /** Runs work under an id until it ends or is cancelled. */
  async run<T>(id: MessageId, outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const stop = () => controller.abort(outer?.reason);
    if (outer?.aborted) stop();
    outer?.addEventListener('abort', stop, { once: true });
    this.#running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      outer?.removeEventListener('abort', stop);
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  /** Cancels a request; one that has ended is none of ours any more. */
  cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number')
      this.#running.get(id)?.abort(new Error('cancelled by the client'));
  }

  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort(new Error('the client is gone'));
  }
}
