import { hexOfVersion } from './hash.ts';
import { encodeUtf8 } from './utf8.ts';

export const POSTINGS_FILE = 'postings.bin';

/*
 * Layout, little-endian; every section starts on a multiple of four:
 *   magic (8 bytes) · cache_version (32 bytes) · documents, terms, term bytes, posting bytes (u32 each)
 *   total_words u32[documents] · tokens u32[documents] · term starts u32[terms + 1] · posting starts u32[terms + 1]
 *   term bytes: the terms in byte order, end to end · posting bytes: per term and document a varint of
 *   (distance to the document before << 1 | count > 1), followed by a varint of the count if it is above 1
 */
const MAGIC = encodeUtf8('bndpost1');
const HEADER_BYTES = 8 + 32 + 16;

/** Typed arrays over the file are read in the machine's own byte order. */
export const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** The input for encoding the postings of a whole cache. */
export interface PostingsInput {
  readonly cacheVersion: string;
  readonly totalWords: Uint32Array;
  readonly tokens: Uint32Array;
  /** In UTF-8 byte order. */
  readonly terms: readonly string[];
  /** `postingStarts[t]` to `postingStarts[t + 1]` are the postings of term `t`, in the order of their documents. */
  readonly postingStarts: Uint32Array;
  /** For each posting the document and the count of the term, next to each other because they are written in random order. */
  readonly postings: Uint32Array;
}

/** The bytes of the postings file. */
export function encodePostings(input: PostingsInput): Uint8Array<ArrayBuffer> {
  const termBytes = encodeUtf8(input.terms.join(''));
  const termStarts = new Uint32Array(input.terms.length + 1);
  let length = 0;
  input.terms.forEach((term, index) => {
    termStarts[index] = length;
    length += Buffer.byteLength(term);
  });
  termStarts[input.terms.length] = length;
  const { bytes: postingBytes, starts } = encodePostingBytes(input);
  const sections = [input.totalWords, input.tokens, termStarts, starts, termBytes, postingBytes];
  const size = sections.reduce((sum, section) => sum + aligned(section.byteLength), HEADER_BYTES);
  const file = new Uint8Array(size);
  file.set(MAGIC);
  file.set(Buffer.from(hexOfVersion(input.cacheVersion), 'hex'), MAGIC.length);
  new Uint32Array(file.buffer, MAGIC.length + 32, 4).set([
    input.totalWords.length,
    input.terms.length,
    termBytes.length,
    postingBytes.length,
  ]);
  let offset = HEADER_BYTES;
  for (const section of sections) {
    file.set(new Uint8Array(section.buffer, section.byteOffset, section.byteLength), offset);
    offset += aligned(section.byteLength);
  }
  return file;
}

function encodePostingBytes({ terms, postingStarts, postings }: PostingsInput) {
  const starts = new Uint32Array(terms.length + 1);
  // Two varints of at most five bytes each.
  let bytes = new Uint8Array(Math.max(1024, (postings.length / 2) * 3));
  let length = 0;
  const put = (value: number) => {
    let rest = value;
    while (rest >= 0x80) {
      bytes[length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    bytes[length++] = rest;
  };
  for (let term = 0; term < terms.length; term++) {
    starts[term] = length;
    let previous = -1;
    for (let posting = postingStarts[term] as number; posting < (postingStarts[term + 1] as number); posting++) {
      if (length + 12 > bytes.length) bytes = grown(bytes);
      const document = postings[2 * posting] as number;
      const count = postings[2 * posting + 1] as number;
      put((document - previous - 1) * 2 + (count > 1 ? 1 : 0));
      if (count > 1) put(count);
      previous = document;
    }
  }
  starts[terms.length] = length;
  return { bytes: bytes.subarray(0, length), starts };
}

/** The postings of a cache, read in place: opening has no cost per document or per term. */
export class Postings {
  readonly totalWords: Uint32Array;
  readonly tokens: Uint32Array;
  readonly #termStarts: Uint32Array;
  readonly #postingStarts: Uint32Array;
  readonly #termBytes: Buffer;
  readonly #postingBytes: Uint8Array;

  constructor(
    totalWords: Uint32Array,
    tokens: Uint32Array,
    termStarts: Uint32Array,
    postingStarts: Uint32Array,
    termBytes: Buffer,
    postingBytes: Uint8Array,
  ) {
    this.totalWords = totalWords;
    this.tokens = tokens;
    this.#termStarts = termStarts;
    this.#postingStarts = postingStarts;
    this.#termBytes = termBytes;
    this.#postingBytes = postingBytes;
  }

  /** Adds to `matches[document]` how often each document has the term. */
  addMatches(term: string, matches: Uint32Array): void {
    const found = this.#find(encodeUtf8(term));
    if (found === undefined) return;
    const bytes = this.#postingBytes;
    const end = this.#postingStarts[found + 1] as number;
    let position = this.#postingStarts[found] as number;
    let document = -1;
    while (position < end) {
      let byte = bytes[position++] as number;
      let head = byte & 0x7f;
      for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
        byte = bytes[position++] as number;
        head += (byte & 0x7f) * scale;
      }
      let count = 1;
      if (head % 2 === 1) {
        byte = bytes[position++] as number;
        count = byte & 0x7f;
        for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
          byte = bytes[position++] as number;
          count += (byte & 0x7f) * scale;
        }
      }
      document += Math.floor(head / 2) + 1;
      matches[document] = (matches[document] as number) + count;
    }
  }

  #find(term: Uint8Array): number | undefined {
    let low = 0;
    let high = this.#termStarts.length - 2;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#termBytes.compare(
        term,
        0,
        term.length,
        this.#termStarts[middle],
        this.#termStarts[middle + 1],
      );
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}

/** Reads a postings file of this cache; undefined if it belongs to another cache or is not one. */
export function decodePostings(file: Uint8Array, cacheVersion: string, documentCount: number): Postings | undefined {
  if (file.byteLength < HEADER_BYTES || file.byteOffset % 4 !== 0) return undefined;
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0) return undefined;
  if (bytes.toString('hex', MAGIC.length, MAGIC.length + 32) !== hexOfVersion(cacheVersion)) return undefined;
  const [documents = 0, terms = 0, termLength = 0, postingLength = 0] = new Uint32Array(
    file.buffer,
    file.byteOffset + MAGIC.length + 32,
    4,
  );
  const lengths = [documents * 4, documents * 4, terms * 4 + 4, terms * 4 + 4, termLength, postingLength];
  const size = lengths.reduce((sum, length) => sum + aligned(length), HEADER_BYTES);
  if (documents !== documentCount || size !== file.byteLength) return undefined;
  let offset = file.byteOffset + HEADER_BYTES;
  const [totalWords, tokens, termStarts, postingStarts, termBytes, postingBytes] = lengths.map((length) => {
    const start = offset;
    offset += aligned(length);
    return { start, length };
  }) as [Section, Section, Section, Section, Section, Section];
  const integers = ({ start, length }: Section) => new Uint32Array(file.buffer, start, length / 4);
  if (!ascendsTo(integers(termStarts), termLength) || !ascendsTo(integers(postingStarts), postingLength))
    return undefined;
  return new Postings(
    integers(totalWords),
    integers(tokens),
    integers(termStarts),
    integers(postingStarts),
    Buffer.from(file.buffer, termBytes.start, termBytes.length),
    new Uint8Array(file.buffer, postingBytes.start, postingBytes.length),
  );
}

interface Section {
  readonly start: number;
  readonly length: number;
}

/** Whether offsets ascend from 0 to the end, so that every range between two of them is inside. */
function ascendsTo(places: Uint32Array, end: number): boolean {
  for (let index = 1; index < places.length; index++) {
    if ((places[index] as number) < (places[index - 1] as number)) return false;
  }
  return places[0] === 0 && places[places.length - 1] === end;
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function grown(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}
