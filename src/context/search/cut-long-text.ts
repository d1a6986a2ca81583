import { SEARCH } from './search-settings.ts';

/** The end of a sentence, with what closes it and the blanks after it. */
const SENTENCE_END = /[.!?…]["'’”)\]*_`]*\s+|[。！？｡]["'」』）]*/g;
const LOW_SURROGATE = /[\udc00-\udfff]/;

/**
 * Cuts a text without empty lines that is too long: at the end of a sentence where one ends in the second half of a part, else of a line, else
 * at a blank, else anywhere between two characters. The parts are the text.
 */
export function cutLongText(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > SEARCH.unbrokenCharactersMax) {
    const length = cutPlace(text.slice(start, start + SEARCH.chunkCharactersMax + 1));
    parts.push(text.slice(start, start + length));
    start += length;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Where to cut what begins with this; it is one character longer than a part may be. */
function cutPlace(begin: string): number {
  const half = SEARCH.chunkCharactersMax / 2;
  const max = SEARCH.chunkCharactersMax;
  let sentence = 0;
  for (const { 0: end, index } of begin.matchAll(SENTENCE_END))
    if (index + end.length <= max) sentence = index + end.length;
  if (sentence > half) return sentence;
  const line = begin.lastIndexOf('\n', max - 1) + 1;
  if (line > half) return line;
  const blank = begin.lastIndexOf(' ', max - 1) + 1;
  if (blank > half) return blank;
  return LOW_SURROGATE.test(begin[max] as string) ? max - 1 : max;
}
