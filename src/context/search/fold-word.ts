const FOLDABLE = /[\u00c0-\u024f\u1e00-\u1eff]|[\u0300-\u036f]/;
const MARKS = /[\u0300-\u036f]/g;

/** Letters that do not decompose into a plain letter and a mark. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

/** A lower-case word without the accents of its Latin letters. Marks of other scripts belong to their letters and stay. */
export function foldWord(word: string): string {
  if (!FOLDABLE.test(word)) return word;
  const bare = word.normalize('NFD').replace(MARKS, '').normalize('NFC');
  return bare.replace(LETTER, (letter) => LETTERS[letter] as string);
}
