import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const unloaded = new Set<() => unknown>();

/**
 * A large library that the start does not need: it is loaded where it is first used, or by `loadLateLibraries`. Read what it
 * exports as `library().name`.
 */
export function lateLibrary<T>(name: string): () => T {
  let library: T | undefined;
  const get = (): T => {
    unloaded.delete(get);
    library ??= load(name) as T;
    return library;
  };
  unloaded.add(get);
  return get;
}

/** Loads what is not loaded yet, one library a turn, so that whoever calls meanwhile waits for one at most. */
export async function loadLateLibraries(untilNextTurn: () => Promise<void>): Promise<void> {
  for (const get of unloaded) {
    await untilNextTurn();
    get();
  }
}
