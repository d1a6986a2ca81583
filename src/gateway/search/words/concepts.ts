import { IMPLIES, SAME } from './lexicon.ts';
import { stem } from './stem.ts';

export interface Implication {
  readonly term: string;
  /** Share of a full hit, in sixteenths. */
  readonly weight: number;
}

const IMPLIED_WEIGHT = 9;

/** The longest phrase of the lexicon, in words. */
export const PHRASE_WORDS_MAX = 3;

let built: ReadonlyMap<string, readonly Implication[]> | undefined;

/** Built at the first search, not at start-up. */
function lexicon(): ReadonlyMap<string, readonly Implication[]> {
  built ??= buildLexicon();
  return built;
}

/** The terms that a stem, or several joined by `_`, implies besides itself. */
export function impliedTerms(phrase: string): readonly Implication[] {
  return lexicon().get(phrase) ?? [];
}

function buildLexicon(): Map<string, Implication[]> {
  const lexicon = new Map<string, Implication[]>();
  const add = (from: string, to: string, weight: number): void => {
    if (from === to) return;
    const implications = lexicon.get(from) ?? [];
    if (!implications.some(({ term }) => term === to)) implications.push({ term: to, weight });
    lexicon.set(from, implications);
  };
  for (const line of linesOf(SAME)) {
    const words = phrases(line);
    for (const from of words) for (const to of words) for (const term of to.split('_')) add(from, term, IMPLIED_WEIGHT);
  }
  for (const line of linesOf(IMPLIES)) {
    const [from = '', to = ''] = line.split('>');
    for (const word of phrases(from)) for (const term of phrases(to)) add(word, term, IMPLIED_WEIGHT);
  }
  return lexicon;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function phrases(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((phrase) => phrase.split('_').map(stem).join('_'));
}
