import type { StepBudget } from '../schema/steps.ts';

/** Which characters separate words, and which are in every word that may be an address. */
export interface WordSigns {
  readonly separator: RegExp;
  readonly sign: RegExp;
}

/** What a character is, by its code unit; tests of a regular expression per character would dominate the time for long texts. */
const SEPARATOR = 1;
const SIGN = 2;
const tables = new WeakMap<WordSigns, Uint8Array>();

/** What looking at one word costs. */
const WORD_STEPS = 1;

/**
 * The words of a text that contain a sign, or its only word. In one pass, because a text may have a million words. Throws `NotJudged`
 * if the budget is used up.
 */
export function signedWords(
  text: string,
  signs: WordSigns,
  budget: StepBudget,
): { readonly words: readonly string[]; readonly isAlone: boolean } {
  const table = tables.get(signs) ?? tableOf(signs);
  const words: string[] = [];
  let only: string | undefined;
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const start = at;
    let seen = 0;
    for (; at < text.length; at += 1) {
      const kind = table[text.charCodeAt(at)] as number;
      if (kind & SEPARATOR) break;
      seen |= kind;
    }
    if (at > start) {
      count += 1;
      if (seen & SIGN) budget.spend(WORD_STEPS);
      if (seen & SIGN) words.push(text.slice(start, at));
      else if (count === 1) only = text.slice(start, at);
    }
    at += 1;
  }
  return { words: count === 1 && only !== undefined ? [only] : words, isAlone: count === 1 };
}

function tableOf(signs: WordSigns): Uint8Array {
  const table = new Uint8Array(0x1_00_00).map((_, code) => {
    const character = String.fromCharCode(code);
    return (signs.separator.test(character) ? SEPARATOR : 0) + (signs.sign.test(character) ? SIGN : 0);
  });
  tables.set(signs, table);
  return table;
}
