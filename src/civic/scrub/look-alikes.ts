/** Letters of other scripts and their Latin look-alikes, one unit each. */
const PAIRS =
  'АA ВB ЕE ІI ЇI ЈJ КK МM НH ОO РP СC ЅS ТT УY ХX ԚQ ԜW аa вb еe іi їi јj кk мm нh оo рp сc ѕs тt уy хx ԁd ԛq ԝw һh ӏl ' +
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa εe γy ιi κk νv οo ρp τt υu χx ϲc ϳj օo սu ոn հh ıi ɑa ɡg';

const LATIN_FOR: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ').map((pair) => [pair[0] as string, pair[1] as string]),
);
const OTHER = new RegExp(`[${[...LATIN_FOR.keys()].join('')}]`, 'g');
const MAY_HAVE_OTHER = /[\u0131\u0251\u0261\u0370-\u058f]/;
/** A word that mixes Latin letters with those of another script. */
const MIXED_WORD = /(?<!\p{L})\p{L}*(?:[a-zA-Z][\u0370-\u058f]|[\u0370-\u058f][a-zA-Z])\p{L}*/gu;

/** Replaces look-alikes by Latin letters; the length stays, so offsets do too. */
export function foldLetters(text: string): string {
  return MAY_HAVE_OTHER.test(text) ? text.replace(OTHER, (char) => LATIN_FOR.get(char) as string) : text;
}

/** The same, only within words that mix scripts, as no language does. */
export function foldMixedWords(text: string): string {
  if (!MAY_HAVE_OTHER.test(text)) return text;
  return text.replace(MIXED_WORD, foldLetters);
}

/** Replaces letters that look like digits and stand next to digits; the length stays. */
export function foldDigits(text: string): string {
  if (!/\d/.test(text)) return text;
  return text
    .replace(/(?<=\d[\s./-]?)[OoQ](?!\p{L})|(?<!\p{L})[OoQ](?=[\s./-]?\d)/gu, '0')
    .replace(/(?<=\d[\s./-]?)[lI](?!\p{L})|(?<!\p{L})[lI](?=[\s./-]?\d)/gu, '1');
}

/** Spaced-out letters, as in `P I N` or `p-i-n`. */
const SPACED_LETTERS = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[ ._*·-][\p{L}\p{N}]){2,40}(?![\p{L}\p{N}])/gu;
/** A word in which a digit or sign replaces a letter, as in `passw0rd`. */
const SIGNS_IN_WORD = /(?<![\p{L}\p{N}])[\p{L}\d@$|]{3,40}(?![\p{L}\p{N}])/gu;
const LETTER_FOR: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '|': 'i',
  l: 'i',
};

/** Like `wordSkeleton`, but `l` stays, and `1` is read only as `i`. */
export function readAsWords(text: string): string {
  return foldLetters(text.replace(SPACED_LETTERS, (letters) => letters.replace(/[ ._*·-]/g, '')))
    .toLowerCase()
    .replace(SIGNS_IN_WORD, (word) =>
      /\p{L}/u.test(word) ? word.replace(/[0134578@$|]/g, (sign) => LETTER_FOR[sign] as string) : word,
    );
}

/**
 * A text as a person reads evasive spellings: lower case, look-alikes and digits in words as letters, spaced-out letters joined, and every
 * `l` as `i`, because `1` is read as both.
 */
export function wordSkeleton(text: string): string {
  return readAsWords(text).replaceAll('l', 'i');
}
