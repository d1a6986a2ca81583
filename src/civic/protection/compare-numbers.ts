import type { QuantityUnit } from './number-words.ts';
import { opensTerm, sentencesNearTerms } from './open-terms.ts';
import { MONEY, type Quantity, quantitiesOf } from './quantities.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { isSpellingFix } from './spelling.ts';

/** How far a number may change without review: down to this share of it, or up to its inverse. */
export const NUMBER_SHARE_MIN = 0.5;
/** Moments differ by steps, in their own unit: a ratio of them is meaningless. */
export const MOMENT_STEPS_MAX = { clock: 60, date: 31 } as const;
/** Share of common words from which a new sentence counts as the changed form of an old one. */
const COMMON_WORDS_MIN = 0.5;
/** Words to look up while pairing sentences; a change that needs more rewrites the whole text. */
const PAIR_STEPS_MAX = 1_000_000;
/** Units of what a new sentence may promise or ask for: money and terms. */
const BINDING: ReadonlySet<QuantityUnit> = new Set<QuantityUnit>([...MONEY, 'percent', 'day', 'week', 'month', 'year']);

const TERMS: ReadonlySet<QuantityUnit> = new Set<QuantityUnit>(['day', 'week', 'month', 'year']);

interface Counted {
  readonly key: string;
  readonly opensTerm: boolean;
  readonly words: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
}

/**
 * The first number of the text that changes beyond its bounds, as a quotation: one that an existing sentence loses, gets or has changed, one
 * whose sentence is gone, and an amount of money or a term in a new sentence. Undefined if there is none.
 */
export function findNumberChange(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const [old, next] = [sentencesOf(before), sentencesOf(after)];
  const known = new Set(old.map(({ key }) => key));
  const numbersOf = readNumbers();
  const counted = (sentence: Sentence) => countedOf(sentence, numbersOf(sentence));
  const fresh = next.filter(({ key }) => !known.has(key)).map(counted);
  const gone = goneFrom(old, next)
    .map(counted)
    .filter(({ quantities }) => quantities.length > 0);
  const words = gone.reduce((sum, sentence) => sum + sentence.words.size, 0);
  if (words * fresh.length > PAIR_STEPS_MAX)
    return quoted(
      gone.flatMap(({ quantities }) => quantities),
      [],
    );
  for (const sentence of gone) {
    const at = bestMatch(sentence, fresh);
    const [changed] = at === undefined ? [] : fresh.splice(at, 1);
    const problem = changed ? quantityChange(sentence, changed) : quoted(sentence.quantities, []);
    if (problem !== undefined) return problem;
  }
  const term = fresh.map(({ quantities }) => newTerm(quantities)).find((problem) => problem !== undefined);
  return term ?? findOpenedTerm(after, fresh, numbersOf);
}

/** A new sentence next to one with a term, as `Later is fine too.` */
function findOpenedTerm(
  after: string,
  fresh: readonly Counted[],
  numbersOf: (sentence: Sentence) => readonly Quantity[],
): string | undefined {
  const opening = fresh.filter((sentence) => sentence.opensTerm);
  if (opening.length === 0) return undefined;
  const near = sentencesNearTerms(after, (sentence) => numbersOf(sentence).some(({ unit }) => TERMS.has(unit)));
  return opening.some(({ key }) => near.has(key)) ? OPENED : undefined;
}

const OPENED = 'a sentence that takes a term away';

/** Sentences that a text has more often than the other one. */
function goneFrom(old: readonly Sentence[], next: readonly Sentence[]): Sentence[] {
  const left = new Map<string, number>();
  for (const { key } of next) left.set(key, (left.get(key) ?? 0) + 1);
  return old.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

/** Reads the numbers of each sentence once: the parts of a long one all have its whole text. */
function readNumbers(): (sentence: Sentence) => readonly Quantity[] {
  const byText = new Map<string, readonly Quantity[]>();
  return ({ text }) => {
    const quantities = byText.get(text) ?? quantitiesOf(text);
    byText.set(text, quantities);
    return quantities;
  };
}

function countedOf({ key, words }: Sentence, quantities: readonly Quantity[]): Counted {
  return {
    key,
    opensTerm: opensTerm({ words }),
    words: new Set(words.filter((word) => !/\d/.test(word))),
    quantities,
  };
}

/** The new sentence with the most words in common; undefined if none has enough. */
function bestMatch({ words }: Counted, fresh: readonly Counted[]): number | undefined {
  let best: { at: number; share: number } | undefined;
  for (const [at, other] of fresh.entries()) {
    const share = [...words].filter((word) => other.words.has(word)).length / Math.max(1, words.size, other.words.size);
    if (share >= COMMON_WORDS_MIN && share > (best?.share ?? 0)) best = { at, share };
  }
  return best?.at;
}

function quantityChange(before: Counted, after: Counted): string | undefined {
  const [old, next] = [before.quantities, after.quantities];
  if (!before.opensTerm && after.opensTerm && old.some(({ unit }) => TERMS.has(unit))) return OPENED;
  const isNear =
    old.length === next.length && old.every((quantity, at) => isNearQuantity(quantity, next[at] as Quantity));
  return isNear ? undefined : quoted(old, next);
}

function isNearQuantity(old: Quantity, next: Quantity): boolean {
  if (old.unit !== next.unit || !isSpellingFix(old.per, next.per)) return false;
  return old.readings.every((value, index) => {
    const other = next.readings[index] as number;
    if (value === other) return true;
    if (old.unit === 'clock' || old.unit === 'date') return Math.abs(other - value) <= MOMENT_STEPS_MAX[old.unit];
    return Math.min(value / other, other / value) >= NUMBER_SHARE_MIN;
  });
}

function newTerm(quantities: readonly Quantity[]): string | undefined {
  const binding = quantities.filter(({ unit }) => BINDING.has(unit));
  return quoted([], binding);
}

/** What a reason quotes of the numbers before and after. */
const QUOTED = { numbers: 3, chars: 40 } as const;

function quoted(old: readonly Quantity[], next: readonly Quantity[]): string | undefined {
  if (old.length + next.length === 0) return undefined;
  const list = (quantities: readonly Quantity[]) =>
    quantities
      .slice(0, QUOTED.numbers)
      .map(({ written }) => written.slice(0, QUOTED.chars))
      .join(', ') || 'none';
  return `${list(old)} → ${list(next)}`;
}
