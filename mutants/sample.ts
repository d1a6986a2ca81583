import type { Area } from './areas.ts';
import { findMutants, type Mutant } from './operators.ts';

/** Test code is not measured; a file of limits has only numbers, which users may set. */
const NOT_SAMPLED = /\/testing\/|\/limits\.ts$|\.test\.ts$/;

/** The source files of an area. */
export function sourcesOf({ sources }: Area, files: readonly string[]): string[] {
  return files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !NOT_SAMPLED.test(file) &&
      sources.some((source) => (source.endsWith('/') ? file.startsWith(source) : file === source)),
  );
}

/**
 * Faults of an area, each equally likely. Nothing is excluded before the draw: equivalent faults are counted
 * separately, so that listing one does not draw another fault.
 */
export function sampleFaults(sources: ReadonlyMap<string, string>, count: number, seed: number): Mutant[] {
  const all = [...sources].flatMap(([file, text]) => findMutants(file, text));
  return shuffled(all, seed).slice(0, count);
}

/** The same order for the same seed, on every machine (Fisher and Yates, mulberry32). */
function shuffled<T>(values: readonly T[], seed: number): T[] {
  const list = [...values];
  const next = randomNumbers(seed);
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}

function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
