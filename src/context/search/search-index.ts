import type { ContextDocument } from '../document.ts';
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

/** What search knows of a cache: its chunks, and where each word stands. */
export class SearchIndex {
  readonly chunks: IndexedChunk[] = [];
  readonly #postings = new Map<string, Posting[]>();
  readonly #totals: Record<Field, number> = { heading: 0, path: 0, body: 0 };

  add({ id, content }: ContextDocument, document: number): void {
    const path = searchTerms(id);
    for (const { text, ...chunk } of splitChunks(content)) {
      const words: Record<Field, string[]> = {
        heading: searchTerms(chunk.headings.join('\n')),
        path,
        body: searchTerms(text),
      };
      const lengths = { heading: words.heading.length, path: path.length, body: words.body.length };
      const number = this.chunks.push({ ...chunk, document, id, lengths }) - 1;
      for (const field of FIELDS) this.#totals[field] += lengths[field];
      for (const [term, counts] of countByTerm(words)) {
        const postings = this.#postings.get(term);
        if (postings) postings.push({ chunk: number, counts });
        else this.#postings.set(term, [{ chunk: number, counts }]);
      }
    }
  }

  postings(term: string): readonly Posting[] {
    return this.#postings.get(term) ?? [];
  }

  /** Mean number of words of a chunk in this field; 1 where there are none at all. */
  meanLength(field: Field): number {
    return this.#totals[field] / this.chunks.length || 1;
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
