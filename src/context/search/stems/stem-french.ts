/** Endings of verbs and of words derived from them, the longest first, with the number of letters that must stay. */
const ENDINGS: readonly (readonly [string, number])[] = [
  ['issement', 3],
  ['issants', 3],
  ['issaient', 3],
  ['eraient', 3],
  ['issant', 3],
  ['atrice', 3],
  ['issent', 3],
  ['issons', 3],
  ['ations', 3],
  ['ation', 3],
  ['ateur', 3],
  ['aient', 3],
  ['ement', 4],
  ['erait', 3],
  ['eront', 3],
  ['erons', 3],
  ['issez', 3],
  ['ante', 3],
  ['erez', 3],
  ['ant', 3],
  ['era', 3],
  ['ait', 3],
  ['ons', 4],
  ['ees', 3],
  ['ez', 3],
  ['er', 3],
  ['ir', 3],
  ['it', 4],
  ['ee', 3],
  ['ie', 4],
  ['es', 3],
  ['e', 3],
  ['i', 4],
];

/** The stem of a lower-case French word whose accents are folded: the plural first, then the longest ending. */
export function stemFrench(word: string): string {
  const singular = withoutPlural(word);
  const found = ENDINGS.find(([ending, kept]) => singular.endsWith(ending) && singular.length - ending.length >= kept);
  const stem = found ? singular.slice(0, -found[0].length) : singular;
  return stem
    .replace(/y$/, 'i')
    .replace(/([ltn])\1$/, '$1')
    .replace(/eus$/, 'eur');
}

function withoutPlural(word: string): string {
  if (word.length < 4) return word;
  if (word.endsWith('aux') && word.length > 4)
    return word.endsWith('eaux') ? word.slice(0, -1) : `${word.slice(0, -2)}l`;
  return /[sx]$/.test(word) && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
