import { finish, type Steps } from '../../../contract/steps.ts';
import { late, lateLibrary, libraryFile } from '../../../libraries/late-library.ts';
import { BytePairs } from './byte-pairs.ts';
import { TokenRanks } from './token-ranks.ts';

/** Counts the tokens of a text; every budget of the search is kept with such a function. */
export type CountTokens = (text: string) => number;

/** Characters that are counted between two pauses. */
const CHARS_AT_ONCE = 100_000;

// The library's own tables are 200,000 strings: they hold up everyone for 300 ms, and every collection of garbage after that.
const params = lateLibrary<typeof import('gpt-tokenizer/encodingParams/constants')>(
  'gpt-tokenizer/encodingParams/constants',
);
const bytePairs = late(function* () {
  const file = libraryFile('gpt-tokenizer/data/o200k_base.tiktoken');
  yield;
  return new BytePairs(yield* TokenRanks.read(file));
});

/** Makes one step towards counting: true once `countTokens` counts at once. */
export function prepareTokens(): boolean {
  return params.step() && bytePairs.step();
}

/** The o200k_base tokens of a text; what looks like a special token is counted as the text that it is. */
export const countTokens: CountTokens = (text) => finish(countingTokens(text));

/** Counts the tokens of a text that may be long, with pauses. */
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
  // The pattern leaves nothing out: a piece begins where the last one ended.
  while (pattern.test(text)) {
    const to = pattern.lastIndex;
    const end = isAscii ? to : start + Buffer.byteLength(text.slice(from, to));
    tokens += pairs.count(bytes, start, end);
    start = end;
    from = to;
    if (to < pauseAt) continue;
    yield;
    // Others may have counted meanwhile.
    pattern.lastIndex = to;
    pauseAt = to + CHARS_AT_ONCE;
  }
  return tokens;
}

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
