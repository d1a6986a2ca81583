import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of a text; every budget of the search is kept with such a function. */
export type CountTokens = (text: string) => number;

/** The o200k_base tokens of a text; what looks like a special token is counted as the text that it is. */
export const countTokens: CountTokens = (text) => countO200k(text, { disallowedSpecial: new Set() });
