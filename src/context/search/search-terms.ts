/** Runs of letters, marks and digits: unlike resolve, search does not care for punctuation. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The lower-cased words of a text that search compares. */
export function searchTerms(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}
