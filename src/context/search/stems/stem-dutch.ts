import { isVowel, regionAfter } from './region-after.ts';

/** The stem of a lower-case Dutch word whose accents are folded: plurals and verbs, then derived words, then doubled letters. */
export function stemDutch(word: string): string {
  const first = Math.max(3, regionAfter(word, 0));
  const second = regionAfter(word, first);
  let stem = withoutInflection(word, first);
  if (stem.endsWith('e') && stem.length > first && !isVowel(stem.at(-2))) stem = undoubled(stem.slice(0, -1));
  stem = withoutDerivation(stem, second);
  return stem.replace(
    /([^aeiouy])(aa|ee|oo|uu)([^aeiouy])$/,
    (_, before: string, vowels: string, after: string) => before + vowels.slice(1) + after,
  );
}

function withoutInflection(word: string, first: number): string {
  if (word.endsWith('heden') && word.length - 5 >= first) return `${word.slice(0, -5)}heid`;
  const verb = /(?:enen|ene|en)$/.exec(word)?.[0];
  if (verb !== undefined) {
    const stem = word.slice(0, -verb.length);
    const isEnding = stem.length >= first && !isVowel(stem.at(-1)) && !stem.endsWith('gem');
    return isEnding ? undoubled(stem) : word;
  }
  const plural = /(?:se|s)$/.exec(word)?.[0];
  if (plural === undefined) return word;
  const stem = word.slice(0, -plural.length);
  return stem.length >= first && !isVowel(stem.at(-1)) && !stem.endsWith('j') ? stem : word;
}

function withoutDerivation(word: string, second: number): string {
  const ending = /(?:baar|lijk|heid|ing|end|ig)$/.exec(word)?.[0];
  if (ending === undefined || word.length - ending.length < second) return word;
  return undoubled(word.slice(0, -ending.length));
}

function undoubled(word: string): string {
  return word.replace(/(kk|dd|tt|pp|bb|gg|ll|mm|nn|rr|ss|ff)$/, (pair) => pair.slice(1));
}
