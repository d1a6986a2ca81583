import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isUnauthorized } from './api.ts';
import { whenForgotten } from './stores.ts';

/** An answer of the API: the last value, and the error since then. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
}

export class Source<T> {
  readonly #state: Signal<Loaded<T>> = signal({ value: undefined, error: undefined });
  readonly #load: () => Promise<T>;
  #running: Promise<void> | undefined;
  #again = false;
  /** Counts calls of `clear`: an answer to a request from before is dropped. */
  #cleared = 0;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  get state(): ReadonlySignal<Loaded<T>> {
    return this.#state;
  }

  get value(): T | undefined {
    return this.#state.value.value;
  }

  /** A pending answer may be older than this value, so it is loaded once more. */
  set(value: T): void {
    this.#state.value = { value, error: undefined };
    if (this.#running) this.#again = true;
  }

  /** Forgets the value, and the answer of a pending request. */
  clear(): void {
    this.#cleared += 1;
    this.#state.value = { value: undefined, error: undefined };
  }

  /** Reloads. A call during a pending request triggers one more request after it. */
  refresh(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      const cleared = this.#cleared;
      const next = await this.#next();
      if (cleared === this.#cleared) this.#state.value = next;
    } while (this.#again);
  }

  /** After a failure the last value stays, unless the gateway no longer lets this browser read. */
  async #next(): Promise<Loaded<T>> {
    try {
      return { value: await this.#load(), error: undefined };
    } catch (error) {
      return { value: isUnauthorized(error) ? undefined : this.#state.value.value, error };
    }
  }
}

/** An answer that several pages share, until the session ends. */
export function sourcePerSession<T>(load: () => Promise<T>): Source<T> {
  const source = new Source(load);
  whenForgotten(() => source.clear());
  return source;
}

/** Loads data for a page, again whenever one of `needs` changes. */
export function useLoaded<T>(
  load: () => Promise<T>,
  needs: readonly unknown[],
): Loaded<T> & { refresh(): Promise<void> } {
  const source = useMemo(() => new Source(load), needs);
  useEffect(() => {
    void source.refresh();
  }, [source]);
  return { ...source.state.value, refresh: () => source.refresh() };
}
