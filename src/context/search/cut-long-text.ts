import { SEARCH } from './search-settings.ts';

/** The end of a sentence, with what closes it and the blanks after it. */
const SENTENCE_END = /[.!?…]["'’”)\]*_`]*\s+|[。！？｡]["'」』）]*/g;
const LOW_SURROGATE = /[\udc00-\udfff]/;

/**
 * Cuts a long text without empty lines: at the end of a sentence in the second half of a part if there is one, else of a line, else
 * at a blank, else between any two characters. The parts together are the text.
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

/** Where to cut the text that begins with this; `begin` is one character longer than a part may be. */
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
