import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Steps } from '../contract/steps.ts';

const load = createRequire(import.meta.url);

/** What large libraries load; before others wait for a whole one, each part has a turn of its own. */
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

/** The steps of what is not there yet. */
const unfinished = new Set<() => boolean>();

/** What is made late: whoever calls it gets it whole. */
export interface Late<T> {
  (): T;
  /** Makes one step of what is not there yet; true once all of it is. */
  step(): boolean;
}

/**
 * Something large that the start does not need: it is made where it is first used, or by `loadLateLibraries`, which gives others a
 * turn wherever the steps pause.
 */
export function late<T>(steps: () => Steps<T>): Late<T> {
  let making: Steps<T> | undefined;
  let made: { readonly value: T } | undefined;
  const step = (): boolean => {
    if (made) return true;
    const current = making ?? steps();
    // What fails begins anew when it is used again.
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

/** A large library that is loaded late. Read what it exports as `library().name`. */
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

/** Makes what is not there yet, one step a turn, so that whoever calls meanwhile waits for one at most. */
export async function loadLateLibraries(untilNextTurn: () => Promise<void>): Promise<void> {
  for (const step of unfinished) {
    do await untilNextTurn();
    while (!step());
  }
}
