import { encodePostings, type PostingsInput } from '../../context/postings.ts';
import { sortedByUtf8 } from '../../context/utf8.ts';
import type { IndexBuilder } from './index-builder.ts';
import { NumberList } from './number-list.ts';
import { type CountedRun, termsOf } from './term-counter.ts';

/** Collects runs in any order and builds the postings of the whole cache. */
export class PostingsBuilder {
  readonly #totalWords: Uint32Array;
  readonly #tokens: Uint32Array;
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  /** By term: number of documents that contain it. */
  readonly #documentsWith = new NumberList();
  /** By vocabulary: maps its term numbers to the global ones. */
  readonly #common: number[][] = [];
  readonly #runs: { first: number; termsPerDocument: Uint32Array; terms: Uint32Array; counts: Uint32Array }[] = [];

  constructor(documentCount: number) {
    this.#totalWords = new Uint32Array(documentCount);
    this.#tokens = new Uint32Array(documentCount);
  }

  /** `first` is the index of the run's first document; `vocabulary` identifies the term numbers. Takes ownership of the run. */
  add(run: CountedRun, first: number, vocabulary: number): void {
    this.#totalWords.set(run.totalWords, first);
    this.#tokens.set(run.tokens, first);
    this.#common[vocabulary] ??= [];
    const common = this.#common[vocabulary];
    for (const term of termsOf(run)) common.push(this.#numberOf(term));
    const { termsPerDocument, terms, counts } = run;
    for (let posting = 0; posting < terms.length; posting++) {
      const number = common[terms[posting] as number] as number;
      terms[posting] = number;
      this.#documentsWith.increment(number);
    }
    this.#runs.push({ first, termsPerDocument, counts, terms });
  }

  build(cacheVersion: string): PostingsInput {
    const terms = sortedByUtf8(this.#terms);
    const postingStarts = new Uint32Array(terms.length + 1);
    // By term number: where its next posting goes.
    const next = new Uint32Array(terms.length);
    terms.forEach((term, rank) => {
      const number = this.#numbers.get(term) as number;
      const start = postingStarts[rank] as number;
      next[number] = start;
      postingStarts[rank + 1] = start + this.#documentsWith.at(number);
    });
    const postings = new Uint32Array(2 * (postingStarts.at(-1) as number));
    this.#runs.sort((left, right) => left.first - right.first);
    for (const { first, termsPerDocument, terms: numbers, counts: runCounts } of this.#runs) {
      let posting = 0;
      for (let index = 0; index < termsPerDocument.length; index++) {
        for (const end = posting + (termsPerDocument[index] as number); posting < end; posting++) {
          const number = numbers[posting] as number;
          const place = next[number] as number;
          next[number] = place + 1;
          postings[2 * place] = first + index;
          postings[2 * place + 1] = runCounts[posting] as number;
        }
      }
    }
    return {
      cacheVersion,
      totalWords: this.#totalWords,
      tokens: this.#tokens,
      terms,
      postingStarts,
      postings,
    };
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#terms.push(term) - 1;
    this.#documentsWith.push(0);
    this.#numbers.set(term, number);
    return number;
  }
}

/** The postings of `documentCount` documents as a file. */
export function postingsFile(documentCount: number): IndexBuilder<CountedRun> {
  const builder = new PostingsBuilder(documentCount);
  return {
    add: (run, first, vocabulary) => builder.add(run, first, vocabulary),
    bytes: (cacheVersion) => encodePostings(builder.build(cacheVersion)),
  };
}
