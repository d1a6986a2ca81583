import { SEARCH } from './search-settings.ts';

/**
 * Runs of letters, marks and digits: unlike resolve, search does not care for punctuation. A run without end is read in pieces,
 * since it would exhaust the memory of the regular expression.
 */
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{N}]{1,${SEARCH.wordCharactersMax}}`, 'gu');

/** The lower-cased words of a text that search compares. */
export function searchTerms(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
