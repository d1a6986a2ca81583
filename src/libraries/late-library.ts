import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Steps } from '../contract/steps.ts';

const load = createRequire(import.meta.url);

/** The parts of large libraries. Each part loads in its own turn of the event loop, so that calls do not wait for a whole library. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  undici: [
    'node:http2',
    'undici/lib/core/util.js',
    'undici/lib/dispatcher/client.js',
    'undici/lib/interceptor/cache.js',
    'undici/lib/mock/mock-agent.js',
    'undici/lib/api/index.js',
    'undici/lib/web/fetch/util.js',
    'undici/lib/web/fetch/index.js',
    'undici/lib/web/websocket/websocket.js',
    'undici/lib/web/cache/cachestorage.js',
    'undici/lib/web/eventsource/eventsource.js',
  ],
};

/** The steps of everything that is not loaded yet. */
const unfinished = new Set<() => boolean>();

/** A value that is created lazily; calling it returns the complete value. */
export interface Late<T> {
  (): T;
  /** Takes the next step; true once the value is complete. */
  step(): boolean;
}

/**
 * A large value that the start does not need. It is created on first use, or by `loadLateLibraries`, which yields to the event
 * loop wherever the steps pause.
 */
export function late<T>(steps: () => Steps<T>): Late<T> {
  let making: Steps<T> | undefined;
  let made: { readonly value: T } | undefined;
  const step = (): boolean => {
    if (made) return true;
    const current = making ?? steps();
    // After a failure the next use starts from the beginning.
    making = undefined;
    unfinished.delete(step);
    const next = current.next();
    if (next.done) made = next;
    else making = current;
    return next.done === true;
  };
  unfinished.add(step);
  const get = (): T => {
    while (!made) step();
    return made.value;
  };
  return Object.assign(get, { step });
}

/** A large library that is loaded lazily. Read its exports as `library().name`. */
export function lateLibrary<T>(name: string): Late<T> {
  return late(function* () {
    for (const part of PARTS[name] ?? []) {
      load(part);
      yield;
    }
    return load(name) as T;
  });
}

/** The bytes of a file of a library. */
export function libraryFile(name: string): Uint8Array {
  return readFileSync(load.resolve(name));
}

/** Loads everything that is not loaded yet, one step per turn of the event loop, so that a call waits for one step at most. */
export async function loadLateLibraries(untilNextTurn: () => Promise<void>): Promise<void> {
  for (const step of unfinished) {
    do await untilNextTurn();
    while (!step());
  }
}
