import type { CountTokens } from './tokens.ts';

/**
 * Tokens of a text where they are near a limit; elsewhere a number on the same side of it, without counting: a token is one byte
 * at least, and no token reaches over two words.
 */
export function nearTokens(text: string, limit: number, count: CountTokens): number {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return bytes;
  const words = wordsOf(text, limit + 1);
  return words > limit ? words : count(text);
}

/**
 * Words of a text, counted up to `enough`. A word is a run of letters; apostrophes and all that is not ASCII belong to it, since
 * the tokenizer may take them together with letters.
 */
function wordsOf(text: string, enough: number): number {
  let words = 0;
  let hasLetter = false;
  for (let index = 0; index < text.length && words < enough; index += 1) {
    const unit = text.charCodeAt(index);
    const isLetter = (unit | LOWER_CASE) >= LETTER_A && (unit | LOWER_CASE) <= LETTER_Z;
    if (isLetter && !hasLetter) words += 1;
    hasLetter = isLetter || (hasLetter && (unit === APOSTROPHE || unit > ASCII_MAX));
  }
  return words;
}

const LOWER_CASE = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const APOSTROPHE = 0x27;
const ASCII_MAX = 0x7f;
