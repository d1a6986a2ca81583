/** Letters of other scripts and the Latin ones that a reader takes them for; each stands for one unit. */
const PAIRS =
  'АA ВB ЕE ІI ЇI ЈJ КK МM НH ОO РP СC ЅS ТT УY ХX ԚQ ԜW аa вb еe іi їi јj кk мm нh оo рp сc ѕs тt уy хx ԁd ԛq ԝw һh ӏl ' +
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa εe γy ιi κk νv οo ρp τt υu χx ϲc ϳj օo սu ոn հh ıi ɑa ɡg';

const LATIN_FOR: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ').map((pair) => [pair[0] as string, pair[1] as string]),
);
const OTHER = new RegExp(`[${[...LATIN_FOR.keys()].join('')}]`, 'g');
const MAY_HAVE_OTHER = /[\u0131\u0251\u0261\u0370-\u058f]/;
/** A word in which a Latin letter stands beside one of another script. */
const MIXED_WORD = /(?<!\p{L})\p{L}*(?:[a-zA-Z][\u0370-\u058f]|[\u0370-\u058f][a-zA-Z])\p{L}*/gu;

/** Every look-alike as the Latin letter; the length stays, so offsets do too. */
export function foldLetters(text: string): string {
  return MAY_HAVE_OTHER.test(text) ? text.replace(OTHER, (char) => LATIN_FOR.get(char) as string) : text;
}

/** The same within words that mix scripts, as no language does; words of one script stay. */
export function foldMixedWords(text: string): string {
  if (!MAY_HAVE_OTHER.test(text)) return text;
  return text.replace(MIXED_WORD, foldLetters);
}

/** Letters that look like digits, beside digits, as a person reads them; the length stays. */
export function foldDigits(text: string): string {
  if (!/\d/.test(text)) return text;
  return text
    .replace(/(?<=\d[\s./-]?)[OoQ](?!\p{L})|(?<!\p{L})[OoQ](?=[\s./-]?\d)/gu, '0')
    .replace(/(?<=\d[\s./-]?)[lI](?!\p{L})|(?<!\p{L})[lI](?=[\s./-]?\d)/gu, '1');
}

/** Single letters that stand apart, as in `P I N` or `p-i-n`. */
const SPACED_LETTERS = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[ ._*·-][\p{L}\p{N}]){2,40}(?![\p{L}\p{N}])/gu;
/** A word in which a digit or a sign stands for a letter, as in `passw0rd`. */
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

/** The same as `wordSkeleton`, but `l` stays what it is, and `1` is read as `i` alone. */
export function readAsWords(text: string): string {
  return foldLetters(text.replace(SPACED_LETTERS, (letters) => letters.replace(/[ ._*·-]/g, '')))
    .toLowerCase()
    .replace(SIGNS_IN_WORD, (word) =>
      /\p{L}/u.test(word) ? word.replace(/[0134578@$|]/g, (sign) => LETTER_FOR[sign] as string) : word,
    );
}

/**
 * A text as a person reads words that are spelled to be missed by a program: small letters, look-alikes of other scripts and
 * digits in words as letters, letters that stand apart together, and every `l` as `i`, since `1` is read as both.
 */
export function wordSkeleton(text: string): string {
  return readAsWords(text).replaceAll('l', 'i');
}
