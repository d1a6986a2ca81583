import { readFrontMatter } from '../../src/context/search/front-matter.ts';
import { commonIn, LANGUAGES, languageOf, stemOf } from '../../src/context/search/languages.ts';
import { documentWords, queryWords } from '../../src/context/search/search-terms.ts';
import { splitChunks } from '../../src/context/search/split-chunks.ts';
import type { NaiveDocument } from './context.ts';

/*
 * BM25F written as its formula over a plain list of chunks: no index, no postings, no heap. It takes chunks and words as they are, and
 * judges what is counted, weighed, ranked and packed.
 */

const FIELDS = [
  ['heading', 3, 0.5],
  ['path', 2, 0.3],
  ['body', 1, 0.75],
] as const;

export interface NaiveHit {
  readonly id: string;
  readonly start: number;
  readonly score: number;
}

/** The chunks that fit the budget, best first. The documents are in id order. */
export function naiveSearch(documents: readonly NaiveDocument[], query: string, budget: number): NaiveHit[] {
  const chunks = documents.flatMap(({ id, content }) => {
    const matter = readFrontMatter(content);
    const parts = splitChunks(content, matter);
    const words = parts.flatMap(({ text }) => documentWords(text));
    const hits = LANGUAGES.map((_, number) => words.filter((word) => (commonIn(word) >> number) % 2 === 1).length);
    const language = languageOf(matter.language, id, hits);
    const stems = (text: string) => documentWords(text).map((word) => stemOf(word, language));
    return parts.map(({ start, end, headings, text }) => ({
      id,
      start,
      tokens: Math.ceil((end - start) / 4),
      language,
      heading: stems(headings.join('\n')),
      path: stems(id),
      body: stems(text),
    }));
  });
  const languages = new Set(chunks.map(({ language }) => language));
  const isCommon = (word: string) =>
    LANGUAGES.some((name, number) => languages.has(name) && (commonIn(word) >> number) % 2 === 1);
  const asked = [...new Set(queryWords(query))];
  const telling = asked.filter((word) => !isCommon(word));
  const means = FIELDS.map(
    ([field]) => chunks.reduce((sum, chunk) => sum + chunk[field].length, 0) / chunks.length || 1,
  );
  const scores = chunks.map(() => 0);
  const seen = new Set<string>();
  for (const word of telling.length > 0 ? telling : asked) {
    const wanted = new Map(
      LANGUAGES.map((name) => [name, stemOf(word, name)] as const).filter(
        ([name, stem]) => !seen.has(`${name} ${stem}`),
      ),
    );
    for (const [name, stem] of wanted) seen.add(`${name} ${stem}`);
    const weights = chunks.map((chunk) => {
      const stem = wanted.get(chunk.language);
      return FIELDS.reduce((sum, [field, weight, share], place) => {
        const count = stem === undefined ? 0 : chunk[field].filter((other) => other === stem).length;
        return sum + (weight * count) / (1 - share + share * (chunk[field].length / (means[place] as number)));
      }, 0);
    });
    const having = weights.filter((weight) => weight > 0).length;
    const rarity = Math.log2((2 * chunks.length + 2) / (2 * having + 1));
    weights.forEach((weight, place) => {
      scores[place] = (scores[place] as number) + rarity * (weight / (1.2 + weight));
    });
  }
  const ranked = chunks
    .map(({ id, start, tokens }, place) => ({ id, start, tokens, score: scores[place] as number }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  let used = 0;
  return ranked.filter(({ tokens }) => {
    if (budget === 0 || used + tokens > budget) return false;
    used += tokens;
    return true;
  });
}

/** Whether an answer has the chunks of the model in their order; chunks with scores that are equal to four digits may change places. */
export function isSameHits(found: readonly NaiveHit[], expected: readonly NaiveHit[]): boolean {
  const close = (left: number, right: number) => Math.abs(left - right) < 0.001;
  const key = ({ id, start }: NaiveHit) => `${id}:${start}`;
  const scores = new Map(expected.map((hit) => [key(hit), hit.score]));
  return (
    found.length === expected.length &&
    found.every((hit, place) => {
      const own = scores.get(key(hit));
      const there = expected[place]?.score as number;
      return close(hit.score, there) && (own === undefined || close(hit.score, own));
    })
  );
}
