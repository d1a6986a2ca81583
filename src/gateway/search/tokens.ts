import { lateLibrary } from '../../contract/late-library.ts';

/** Counts the tokens of a text; every budget of the search is kept with such a function. */
export type CountTokens = (text: string) => number;

// Its ranks are 200,000 strings; a start that remembers every count needs none of them.
const tokenizer = lateLibrary<typeof import('gpt-tokenizer/encoding/o200k_base')>('gpt-tokenizer/encoding/o200k_base');

/** The o200k_base tokens of a text; what looks like a special token is counted as the text that it is. */
export const countTokens: CountTokens = (text) => tokenizer().countTokens(text, { disallowedSpecial: new Set() });
