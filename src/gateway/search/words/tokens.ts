import { finish, type Steps } from '../../../contract/steps.ts';
import { late, lateLibrary, libraryFile } from '../../../libraries/late-library.ts';
import { BytePairs } from './byte-pairs.ts';
import { TokenRanks } from './token-ranks.ts';

/** Counts the tokens of a text; all budgets of the search use it. */
export type CountTokens = (text: string) => number;

/** Characters to count before yielding. */
const CHARS_AT_ONCE = 100_000;

// The library's own tables are 200,000 strings: loading them blocks the event loop for 300 ms, and they slow down every garbage
// collection.
const params = lateLibrary<typeof import('gpt-tokenizer/encodingParams/constants')>(
  'gpt-tokenizer/encodingParams/constants',
);
const bytePairs = late(function* () {
  const file = libraryFile('gpt-tokenizer/data/o200k_base.tiktoken');
  yield;
  return new BytePairs(yield* TokenRanks.read(file));
});

/** Does one step of the preparation: true once `countTokens` is ready. */
export function prepareTokens(): boolean {
  return params.step() && bytePairs.step();
}

/** The o200k_base tokens of a text; special tokens count as plain text. */
export const countTokens: CountTokens = (text) => finish(countingTokens(text));

/** Counts the tokens of a possibly long text, yielding regularly. */
export function* countingTokens(text: string): Steps<number> {
  const pairs = bytePairs();
  const pattern = params().O200K_TOKEN_SPLIT_REGEX;
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  let tokens = 0;
  let start = 0;
  let from = 0;
  let pauseAt = CHARS_AT_ONCE;
  pattern.lastIndex = 0;
  // The pattern skips nothing: each piece begins at the end of the last one.
  while (pattern.test(text)) {
    const to = pattern.lastIndex;
    const end = isAscii ? to : start + Buffer.byteLength(text.slice(from, to));
    tokens += pairs.count(bytes, start, end);
    start = end;
    from = to;
    if (to < pauseAt) continue;
    yield;
    // Another caller may have used the pattern meanwhile.
    pattern.lastIndex = to;
    pauseAt = to + CHARS_AT_ONCE;
  }
  return tokens;
}

/**
 * The token count if it is near a limit; otherwise a cheap number on the same side of it: a token has at least one byte, and no token
 * spans two words.
 */
export function nearTokens(text: string, limit: number, count: CountTokens): number {
  const bytes = Buffer.byteLength(text);
  if (bytes <= limit) return bytes;
  const words = wordsOf(text, limit + 1);
  return words > limit ? words : count(text);
}

/**
 * Words of a text, counted up to `enough`. A word is a run of letters, with apostrophes and non-ASCII characters, because the tokenizer
 * may merge those with letters.
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
