import { CHUNK_NUMBERS, MEASURES } from './index-input.ts';
import type { SectionName } from './index-layout.ts';
import { ownText } from './own-text.ts';
import { packCounts, VarintReader } from './packed-counts.ts';
import { damagedIndex, type ReadAt, VerifiedBlocks } from './verified-blocks.ts';

/** The chunks that have a term, in order, with the packed counts of each. */
export interface TermPostings {
  readonly chunks: Uint32Array;
  readonly counts: Uint32Array;
}

export interface IndexedChunk {
  /** The document's place in id order. */
  readonly document: number;
  /** Bytes of its content. */
  readonly start: number;
  readonly end: number;
  readonly headings: string[];
}

/** The search index of a cache. Only the parts of the file that a query needs are read. */
export class SearchIndex {
  readonly chunkCount: number;
  readonly languages: number;
  readonly #blocks: VerifiedBlocks;
  #measures: Uint16Array | undefined;
  #scores: Float64Array | undefined;

  constructor(blocks: VerifiedBlocks) {
    this.#blocks = blocks;
    this.chunkCount = blocks.header.chunks;
    this.languages = blocks.header.languages;
  }

  /** Opens the index of a cache with this number of documents. Throws `cache_invalid` if it does not match. */
  static open(read: ReadAt, size: number, cacheVersion: string, documents: number): SearchIndex {
    const blocks = VerifiedBlocks.open(read, size, cacheVersion);
    if (blocks.header.documents !== documents) throw damagedIndex();
    return new SearchIndex(blocks);
  }

  /** Words of heading, path and body, and tokens, of each chunk. */
  get measures(): Uint16Array {
    this.#measures ??= new Uint16Array(this.#copy('measures', 0, this.chunkCount * MEASURES * 2).buffer);
    return this.#measures;
  }

  /** Mean number of words of a chunk in heading, path and body; 1 if there are none at all. */
  meanLengths(): readonly number[] {
    return this.#blocks.header.totals.map((total) => total / this.chunkCount || 1);
  }

  /** The postings of a term; undefined if it has none. The term begins with the digit of its language. */
  postings(term: string): TermPostings | undefined {
    const found = this.#find(Buffer.from(term));
    if (found === undefined) return undefined;
    const [start, end] = this.#pair('postingStarts', found);
    const varints = new VarintReader(this.#part('postingBytes', start, end - start));
    const length = varints.next();
    if (length > this.chunkCount) throw damagedIndex();
    const chunks = new Uint32Array(length);
    const counts = new Uint32Array(length);
    let chunk = -1;
    for (let index = 0; index < length; index++) {
      const head = varints.next();
      const kind = head % 4;
      chunk += (head - kind) / 4 + 1;
      if (!(chunk < this.chunkCount)) throw damagedIndex();
      chunks[index] = chunk;
      if (kind === 0) counts[index] = 1;
      else if (kind === 1) counts[index] = varints.next();
      else counts[index] = packCounts(varints.next(), varints.next(), varints.next());
    }
    return { chunks, counts };
  }

  chunk(number: number): IndexedChunk {
    const bytes = this.#part('chunks', number * CHUNK_NUMBERS * 4, CHUNK_NUMBERS * 4);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const [document = 0, start = 0, end = 0, from = 0, to = 0] = [0, 4, 8, 12, 16].map((at) =>
      view.getUint32(at, true),
    );
    if (document >= this.#blocks.header.documents) throw damagedIndex();
    const headings = textOf(this.#part('headings', from, to - from));
    return { document, start, end, headings: headings === '' ? [] : headings.split('\n').map(ownText) };
  }

  /** A number for each chunk, all 0; the caller must reset them to 0 after use. */
  scores(): Float64Array {
    this.#scores ??= new Float64Array(this.chunkCount);
    return this.#scores;
  }

  /** Checks every byte. */
  requireWhole(): void {
    this.#blocks.requireWhole();
  }

  #find(term: Uint8Array): number | undefined {
    let low = 0;
    let high = this.#blocks.header.terms - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const [start, end] = this.#pair('termStarts', middle);
      const order = Buffer.compare(term, this.#part('termBytes', start, end - start));
      if (order === 0) return middle;
      if (order > 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** Two consecutive numbers of a section. */
  #pair(section: SectionName, index: number): [number, number] {
    const bytes = this.#part(section, index * 4, 8);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return [view.getUint32(0, true), view.getUint32(4, true)];
  }

  #part(section: SectionName, start: number, length: number): Uint8Array {
    const place = this.#blocks.header.places[section];
    if (start + length > place.length) throw damagedIndex();
    return this.#blocks.bytes(place.start + start, length);
  }

  #copy(section: SectionName, start: number, length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#part(section, start, length));
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
