import { SEARCH_LIMITS } from '../limits.ts';
import { impliedTerms, PHRASE_WORDS_MAX } from '../words/concepts.ts';
import { splitWords } from '../words/split-words.ts';
import { stem } from '../words/stem.ts';
import { GENERIC_WORDS, REQUEST_WORDS, STOP_WORDS } from '../words/stop-words.ts';
import { gramsOf } from '../words/terms.ts';
import { translateCjk } from '../words/translate-cjk.ts';
import type { QueryConcept, QueryVariant, ToolIndex } from './tool-index.ts';

/** Shares of a full hit, in sixteenths. */
const FULL = 16;
const JOINED = 14;
const GENERIC = 9;
const GRAM = 3;

/** The concepts of a query for an index: its words, their implications, and words that they may be parts of. */
export function analyseQuery(query: string, index: ToolIndex): QueryConcept[] {
  const words = contentWords(query);
  const concepts = new Map<string, QueryConcept>();
  const add = (label: string, variants: readonly QueryVariant[]): void => {
    const key = variants[0]?.term;
    if (key !== undefined && !concepts.has(key) && concepts.size < SEARCH_LIMITS.queryConceptsMax)
      concepts.set(key, { label, variants });
  };
  for (const [at, { word, term, next }] of words.entries()) {
    const share = GENERIC_WORDS.has(word) ? GENERIC : FULL;
    add(word, [{ term, weight: share }, ...implied(term, share)]);
    if (next !== undefined && index.frequency(word + next) > 0)
      add(`${word} ${next}`, [{ term: word + next, weight: JOINED }]);
    for (let length = 2; length <= PHRASE_WORDS_MAX; length += 1) {
      const phrase = words.slice(at, at + length);
      if (phrase.length < length) break;
      const more = implied(phrase.map((part) => part.term).join('_'), FULL);
      if (more.length > 0) add(phrase.map((part) => part.word).join(' '), more);
    }
    if (index.frequency(term) === 0) for (const gram of gramsOf(word)) add(word, [{ term: gram, weight: GRAM }]);
  }
  for (const term of translateCjk(query)) add(term, [{ term, weight: FULL }]);
  return [...concepts.values()];
}

function implied(phrase: string, share: number): QueryVariant[] {
  return impliedTerms(phrase).map(({ term, weight }) => ({ term, weight: Math.floor((weight * share) / FULL) }));
}

interface ContentWord {
  readonly word: string;
  readonly term: string;
  /** The next word, if it is a content word too. */
  readonly next: string | undefined;
}

function contentWords(query: string): ContentWord[] {
  const words = splitWords(query.slice(0, SEARCH_LIMITS.queryCharsMax)).filter(
    ({ text }) => !STOP_WORDS.has(text) && !/^([a-z]|\d)$/.test(text),
  );
  const kept = words.filter(({ text }) => !REQUEST_WORDS.has(text));
  const content = kept.length > 0 ? kept : words;
  return content.map(({ text, position, compound }, at) => {
    const after = content[at + 1];
    const next = after && !compound && !after.compound && after.position === position + 1 ? after.text : undefined;
    return { word: text, term: compound ? text : stem(text), next };
  });
}
