import { CHUNK_NUMBERS, encodeIndexFile, MEASURES } from '../../context/search/index-input.ts';
import { sortedByUtf8 } from '../../context/utf8.ts';
import type { IndexBuilder } from './index-builder.ts';
import { NumberList } from './number-list.ts';
import { chunksIn, type SearchRun } from './search-counter.ts';

interface NumberedRun {
  readonly first: number;
  readonly run: SearchRun;
}

/** Collects runs in any order and builds the search index of the whole cache. */
export class SearchBuilder {
  readonly #numbers = new Map<string, number>();
  readonly #terms: string[] = [];
  /** By term: number of chunks that contain it. */
  readonly #chunksWith = new NumberList();
  /** By vocabulary: maps its term numbers to the global ones. */
  readonly #common: number[][] = [];
  #runs: NumberedRun[] = [];

  /** `first` is the index of the run's first document; `vocabulary` identifies the term numbers. Takes ownership of the run. */
  add(run: SearchRun, first: number, vocabulary: number): void {
    this.#common[vocabulary] ??= [];
    const common = this.#common[vocabulary];
    for (const term of run.newTerms.split(' ').slice(0, -1)) common.push(this.#numberOf(term));
    const { terms } = run;
    for (let posting = 0; posting < terms.length; posting++) {
      const number = common[terms[posting] as number] as number;
      terms[posting] = number;
      this.#chunksWith.increment(number);
    }
    this.#runs.push({ first, run });
  }

  /** The bytes of the index of `documents` documents. */
  build(cacheVersion: string, documents: number): Uint8Array<ArrayBuffer> {
    this.#runs.sort((left, right) => left.first - right.first);
    const terms = sortedByUtf8(this.#terms);
    const { postingStarts, postings } = this.#postings(terms);
    return encodeIndexFile({
      cacheVersion,
      documents,
      languages: this.#runs.reduce((all, { run }) => all | run.languages, 0),
      ...this.#chunks(),
      terms,
      postingStarts,
      postings,
    });
  }

  #postings(terms: readonly string[]) {
    const postingStarts = new Uint32Array(terms.length + 1);
    // By term number: where its next posting goes.
    const next = new Uint32Array(terms.length);
    terms.forEach((term, rank) => {
      const number = this.#numbers.get(term) as number;
      const start = postingStarts[rank] as number;
      next[number] = start;
      postingStarts[rank + 1] = start + this.#chunksWith.at(number);
    });
    const postings = new Uint32Array(2 * (postingStarts.at(-1) as number));
    let chunk = 0;
    for (const { run } of this.#runs) {
      let posting = 0;
      for (const termCount of run.termsPerChunk) {
        for (const end = posting + termCount; posting < end; posting++) {
          const number = run.terms[posting] as number;
          const place = next[number] as number;
          next[number] = place + 1;
          postings[2 * place] = chunk;
          postings[2 * place + 1] = run.counts[posting] as number;
        }
        chunk += 1;
      }
    }
    return { postingStarts, postings };
  }

  /** Chunks, measures and headings of all runs, concatenated. */
  #chunks() {
    const count = this.#runs.reduce((sum, { run }) => sum + chunksIn(run), 0);
    const measures = new Uint16Array(count * MEASURES);
    const chunks = new Uint32Array(count * CHUNK_NUMBERS);
    const headings = new Uint8Array(this.#runs.reduce((sum, { run }) => sum + run.headings.length, 0));
    let chunk = 0;
    let headingBytes = 0;
    for (const { first, run } of this.#runs) {
      measures.set(run.measures, chunk * MEASURES);
      headings.set(run.headings, headingBytes);
      for (let at = 0; at < run.chunks.length; at += CHUNK_NUMBERS) {
        const [document = 0, start = 0, end = 0, headingStart = 0, headingEnd = 0] = run.chunks.subarray(
          at,
          at + CHUNK_NUMBERS,
        );
        chunks.set(
          [first + document, start, end, headingBytes + headingStart, headingBytes + headingEnd],
          chunk * CHUNK_NUMBERS + at,
        );
      }
      chunk += chunksIn(run);
      headingBytes += run.headings.length;
    }
    return { measures, chunks, headings };
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#terms.push(term) - 1;
    this.#chunksWith.push(0);
    this.#numbers.set(term, number);
    return number;
  }
}

/** The search index of `documentCount` documents as a file. */
export function searchFile(documentCount: number): IndexBuilder<SearchRun> {
  const builder = new SearchBuilder();
  return {
    add: (run, first, vocabulary) => builder.add(run, first, vocabulary),
    bytes: (cacheVersion) => builder.build(cacheVersion, documentCount),
  };
}
