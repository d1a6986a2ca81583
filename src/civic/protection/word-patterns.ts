import { foldWords } from './topic-index.ts';

/** Finds one of several phrases in folded words, joined by blanks; `stem*` is the beginning of a word, and `_` joins words. */
export function wordPattern(lines: readonly string[], flags = 'u'): RegExp {
  const sources = lines.flatMap((line) => line.split(' ').map(sourceOf));
  return new RegExp(`(?<!\\p{L})(?:${sources.join('|')})(?!\\p{L})`, flags);
}

function sourceOf(phrase: string): string {
  const source = foldWords(phrase.replaceAll('_', ' ')).replaceAll('*', '\\p{L}{0,30}');
  return /^[\u0621-\u064a]/.test(source) ? `[وفبلك]?(?:ال)?${source}` : source;
}
