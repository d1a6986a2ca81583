import type { ContextDocument } from '../document.ts';
import { ownText } from './own-text.ts';
import { FIELDS, type Field } from './search-settings.ts';
import { searchTerms } from './search-terms.ts';
import { type Chunk, splitChunks } from './split-chunks.ts';

export type Counts = Readonly<Record<Field, number>>;

export interface IndexedChunk extends Omit<Chunk, 'text'> {
  /** The document's place in id order. */
  readonly document: number;
  readonly id: string;
  /** Words by field. */
  readonly lengths: Counts;
}

export interface Posting {
  readonly chunk: number;
  readonly counts: Counts;
}

/** Numbers of a posting: the posting of its term before it, its chunk, and the counts of the three fields. */
const POSTING_NUMBERS = 2 + FIELDS.length;
const NONE = 0;

/**
 * What search knows of a cache: its chunks, and where each word stands. Postings are numbers in one array, chained by term: as
 * objects they would take ten times the memory of the documents.
 */
export class SearchIndex {
  readonly chunks: IndexedChunk[] = [];
  /** The last posting of each term. */
  readonly #last = new Map<string, number>();
  #numbers = new Uint32Array(POSTING_NUMBERS * 1024);
  #postingCount = 1;
  readonly #totals: Record<Field, number> = { heading: 0, path: 0, body: 0 };
  #documentCount = 0;

  /** How many documents were added; they come in id order. */
  get documentCount(): number {
    return this.#documentCount;
  }

  add({ id, content }: ContextDocument): void {
    const path = searchTerms(id);
    for (const { text, ...chunk } of splitChunks(content)) {
      const words: Record<Field, string[]> = {
        heading: searchTerms(chunk.headings.join('\n')),
        path,
        body: searchTerms(text),
      };
      const lengths = { heading: words.heading.length, path: path.length, body: words.body.length };
      const number = this.chunks.push({ ...chunk, document: this.#documentCount, id, lengths }) - 1;
      for (const field of FIELDS) this.#totals[field] += lengths[field];
      for (const [term, counts] of countByTerm(words)) this.#addPosting(term, number, counts);
    }
    this.#documentCount += 1;
  }

  /** Where a term stands, from the last chunk to the first. */
  postings(term: string): readonly Posting[] {
    const found: Posting[] = [];
    for (let posting = this.#last.get(term) ?? NONE; posting !== NONE; ) {
      const [before, chunk, heading, path, body] = this.#numbers.subarray(
        posting * POSTING_NUMBERS,
        (posting + 1) * POSTING_NUMBERS,
      ) as unknown as [number, number, number, number, number];
      found.push({ chunk, counts: { heading, path, body } });
      posting = before;
    }
    return found;
  }

  /** Mean number of words of a chunk in this field; 1 where there are none at all. */
  meanLength(field: Field): number {
    return this.#totals[field] / this.chunks.length || 1;
  }

  #addPosting(term: string, chunk: number, { heading, path, body }: Counts): void {
    const posting = this.#postingCount++;
    const place = posting * POSTING_NUMBERS;
    if (place === this.#numbers.length) {
      const larger = new Uint32Array(2 * place);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const before = this.#last.get(term);
    this.#numbers.set([before ?? NONE, chunk, heading, path, body], place);
    this.#last.set(before === undefined ? ownText(term) : term, posting);
  }
}

function countByTerm(words: Readonly<Record<Field, readonly string[]>>): Map<string, Counts> {
  const byTerm = new Map<string, Record<Field, number>>();
  for (const field of FIELDS) {
    for (const term of words[field]) {
      const counts = byTerm.get(term) ?? { heading: 0, path: 0, body: 0 };
      counts[field]++;
      byTerm.set(term, counts);
    }
  }
  return byTerm;
}
