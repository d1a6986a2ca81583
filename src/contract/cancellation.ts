/** A signal that can abort work. An `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}

/** The default abort reason. One shared error: a stack trace for each would cost more than the aborted work. */
export const ABORTED: unknown = new DOMException('This operation was aborted', 'AbortError');

/**
 * An `AbortController` and its signal in one. Every call needs two and hardly one is ever aborted, so the cost is in creating
 * them and adding listeners: a seventh of the engine's own, which are event targets.
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners: (() => void)[] = [];

  /** Aborts the work and notifies each listener once. */
  abort(reason: unknown = ABORTED): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

/** The same as an `AbortSignal`, for functions that take no other. */
export function abortSignalOf(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return controller.signal;
}
