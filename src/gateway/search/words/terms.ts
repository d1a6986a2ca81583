import { splitWords } from './split-words.ts';
import { stem } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';
import { translateCjk } from './translate-cjk.ts';

/** The terms of a tool's text, with repetitions; adjacent words of an identifier also form one term. */
export function termsOf(text: string, identifier: boolean): string[] {
  const words = splitWords(text);
  const terms: string[] = [];
  let before = '';
  for (const { text: word, compound } of words) {
    if (STOP_WORDS.has(word) || isNoise(word)) continue;
    const term = compound ? word : stem(word);
    terms.push(term);
    if (compound) continue;
    if (identifier && before !== '') terms.push(before + word);
    before = word;
  }
  terms.push(...translateCjk(text));
  return terms;
}

/** Character n-grams, to find misspelt and run-together names; they never equal a term. */
export function gramsOf(word: string): string[] {
  const letters = [...word];
  if (letters.length < GRAM_LENGTH) return [];
  const grams = new Set<string>();
  for (let at = 0; at + GRAM_LENGTH <= letters.length; at += 1)
    grams.add(`#${letters.slice(at, at + GRAM_LENGTH).join('')}`);
  return [...grams];
}

export function isGram(term: string): boolean {
  return term.startsWith('#');
}

const GRAM_LENGTH = 4;

function isNoise(word: string): boolean {
  return /^\d$/.test(word) || (word.length === 1 && /^[a-z]$/.test(word));
}
