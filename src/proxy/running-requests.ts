import { ShortLivedMap } from '../contract/short-lived-map.ts';
import type { MessageId } from '../wire/json.ts';

/** Requests of one client that run now, so that it can cancel them. */
export class RunningRequests {
  readonly #running = new ShortLivedMap<MessageId, AbortController>();

  /** Notes that a request runs under an id; its signal ends where the client cancels it. */
  begin(id: MessageId): AbortController {
    const controller = new AbortController();
    this.#running.set(id, controller);
    return controller;
  }

  /** It runs no more. */
  end(id: MessageId, controller: AbortController): void {
    if (this.#running.get(id) === controller) this.#running.delete(id);
  }

  /** Cancels a request; false where it does not run here (any more). */
  cancel(id: unknown): boolean {
    const running = typeof id === 'string' || typeof id === 'number' ? this.#running.get(id) : undefined;
    running?.abort(new Error('cancelled by the client'));
    return running !== undefined;
  }

  cancelAll(): void {
    for (const controller of this.#running.values()) controller.abort(new Error('the client is gone'));
  }
}
