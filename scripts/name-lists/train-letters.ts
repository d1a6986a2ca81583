import { LETTER_WEIGHTS, letterGroups } from '../../src/civic/scrub/names/letter-model.ts';

const ROUNDS = 12;
const STEP = 0.15;
const DECAY = 2e-5;
/** Sixteenths, so that a weight fits into a byte. */
const SCALE = 16;

/** The weights of a logistic regression on groups of letters, in base64. Both classes have equal weight, whatever their size. */
export function trainLetters(names: readonly string[], words: readonly string[]): string {
  const weights = new Float64Array(LETTER_WEIGHTS);
  const samples: Sample[] = [
    ...names.map((word) => ({ groups: letterGroups(word), isName: 1, share: 1 })),
    ...words.map((word) => ({ groups: letterGroups(word), isName: 0, share: names.length / words.length })),
  ];
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let round = 0; round < ROUNDS; round++) {
    const step = STEP / (1 + round);
    for (let at = samples.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [samples[at], samples[other]] = [samples[other] as Sample, samples[at] as Sample];
    }
    for (const { groups, isName, share } of samples) {
      let sum = 0;
      for (const group of groups) sum += weights[group] as number;
      const error = (isName - 1 / (1 + Math.exp(-sum))) * share * step;
      for (const group of groups) weights[group] = (weights[group] as number) * (1 - DECAY) + error;
    }
  }
  const bytes = Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight * SCALE))));
  return Buffer.from(bytes.buffer).toString('base64');
}

interface Sample {
  readonly groups: readonly number[];
  readonly isName: number;
  readonly share: number;
}
