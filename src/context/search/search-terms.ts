import { foldWord } from './fold-word.ts';
import { SEARCH } from './search-settings.ts';

/**
 * Runs of letters, marks and digits: unlike resolve, search ignores punctuation. A very long run is split, because it would
 * exhaust the memory of the regular expression.
 */
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{N}]{1,${SEARCH.wordCharactersMax}}`, 'gu');
const ASCII_WORD = new RegExp(`[a-z0-9]{1,${SEARCH.wordCharactersMax}}`, 'g');
const ASCII = /^\p{ASCII}*$/u;

/** Full-width forms of ASCII letters and digits. */
const WIDE = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]/g;
const WIDE_DISTANCE = 0xfee0;

/**
 * Scripts without blanks between words: Han, kana, and Hangul, whose words carry their particles. Written as ranges, so that a newer
 * Unicode does not change them.
 */
const UNSPACED =
  '\u3005\u3007\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}';
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const SCRIPT_RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');

/**
 * The words of a document that search compares: in lower case, without accents. Text of a script without blanks becomes pairs of
 * neighbouring characters, and single characters for queries of one character.
 */
export function documentWords(text: string): string[] {
  return splitWords(text, (characters) => [...pairs(characters), ...characters]);
}

/** The words of a query; in a script without blanks its pairs of characters, or its only character. */
export function queryWords(text: string): string[] {
  return splitWords(text, (characters) => (characters.length === 1 ? characters : pairs(characters)));
}

function splitWords(text: string, unspaced: (characters: string[]) => string[]): string[] {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower.match(ASCII_WORD) ?? [];
  const found = lower.replace(WIDE, narrowed).match(WORD) ?? [];
  return found.flatMap((word) => {
    if (!HAS_UNSPACED.test(word)) return foldWord(word);
    return (word.match(SCRIPT_RUN) ?? []).flatMap((run) =>
      HAS_UNSPACED.test(run) ? unspaced([...run]) : foldWord(run),
    );
  });
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => (characters[index] as string) + character);
}

function narrowed(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) - WIDE_DISTANCE);
}
