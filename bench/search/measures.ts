import type { Need } from './data.ts';

/** The share of the needs that are among the first k names. */
export function recallAt(k: number, gold: readonly Need[], names: readonly string[]): number {
  const first = new Set(names.slice(0, k));
  return gold.filter((need) => [need].flat().some((id) => first.has(id))).length / gold.length;
}

/** nDCG of the needs among the first ten names; of several tools for one need the first counts. */
export function ndcg10(gold: readonly Need[], names: readonly string[]): number {
  const open = gold.map((need) => new Set([need].flat()));
  let gain = 0;
  for (const [at, name] of names.slice(0, 10).entries()) {
    const served = open.findIndex((ids) => ids.has(name));
    if (served < 0) continue;
    open.splice(served, 1);
    gain += 1 / Math.log2(at + 2);
  }
  let ideal = 0;
  for (let at = 0; at < Math.min(10, gold.length); at += 1) ideal += 1 / Math.log2(at + 2);
  return gain / ideal;
}

/** The 95 % bootstrap interval of the mean, with a fixed seed. */
export function interval95(values: readonly number[], samples = 2_000): [number, number] {
  const random = seededRandom(7);
  const means = Array.from({ length: samples }, () => {
    let sum = 0;
    for (let at = 0; at < values.length; at += 1) sum += values[Math.floor(random() * values.length)] as number;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return [means[Math.floor(samples * 0.025)] as number, means[Math.floor(samples * 0.975)] as number];
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
