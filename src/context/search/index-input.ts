import { encodeUtf8 } from '../utf8.ts';
import { assembleIndex } from './index-layout.ts';
import { packedCounts, putVarint } from './packed-counts.ts';

/** The input for encoding the index of a whole cache. */
export interface IndexInput {
  readonly cacheVersion: string;
  readonly documents: number;
  readonly languages: number;
  /** Words of heading, path and body, and tokens, of each chunk. */
  readonly measures: Uint16Array;
  /** Document, first and last byte of its content, first and last byte of its headings, of each chunk. */
  readonly chunks: Uint32Array;
  readonly headings: Uint8Array;
  /** In UTF-8 byte order, each after the digit of its language. */
  readonly terms: readonly string[];
  /** `postingStarts[t]` to `postingStarts[t + 1]` are the postings of term `t`, in the order of their chunks. */
  readonly postingStarts: Uint32Array;
  /** For each posting the chunk, and the counts of its fields packed into one number. */
  readonly postings: Uint32Array;
}

export const MEASURES = 4;
export const CHUNK_NUMBERS = 5;

/** The bytes of the index file: equal input, equal bytes. */
export function encodeIndexFile(input: IndexInput): Uint8Array<ArrayBuffer> {
  const { measures, chunks, headings, terms } = input;
  const termStarts = new Uint32Array(terms.length + 1);
  let length = 0;
  terms.forEach((term, index) => {
    termStarts[index] = length;
    length += Buffer.byteLength(term);
  });
  termStarts[terms.length] = length;
  const { bytes, starts } = encodePostings(input);
  const totals: [number, number, number] = [0, 0, 0];
  for (let chunk = 0; chunk < measures.length; chunk += MEASURES) {
    totals[0] += measures[chunk] as number;
    totals[1] += measures[chunk + 1] as number;
    totals[2] += measures[chunk + 2] as number;
  }
  return assembleIndex(
    input.cacheVersion,
    {
      documents: input.documents,
      chunks: chunks.length / CHUNK_NUMBERS,
      terms: terms.length,
      languages: input.languages,
      totals,
    },
    {
      measures: bytesOf(measures),
      chunks: bytesOf(chunks),
      headings,
      termStarts: bytesOf(termStarts),
      postingStarts: bytesOf(starts),
      termBytes: encodeUtf8(terms.join('')),
      postingBytes: bytes,
    },
  );
}

function encodePostings({ terms, postingStarts, postings }: IndexInput) {
  const starts = new Uint32Array(terms.length + 1);
  // At most four varints of five bytes for a posting, and seldom more than three bytes.
  let bytes = new Uint8Array(Math.max(1024, (postings.length / 2) * 3));
  let length = 0;
  for (let term = 0; term < terms.length; term++) {
    starts[term] = length;
    const first = postingStarts[term] as number;
    const end = postingStarts[term + 1] as number;
    let previous = -1;
    bytes = withRoom(bytes, length);
    length = putVarint(bytes, length, end - first);
    for (let posting = first; posting < end; posting++) {
      bytes = withRoom(bytes, length);
      const chunk = postings[2 * posting] as number;
      const { heading, path, body } = packedCounts(postings[2 * posting + 1] as number);
      const kind = heading + path > 0 ? 2 : body > 1 ? 1 : 0;
      length = putVarint(bytes, length, (chunk - previous - 1) * 4 + kind);
      if (kind === 2) length = putVarint(bytes, putVarint(bytes, length, heading), path);
      if (kind > 0) length = putVarint(bytes, length, body);
      previous = chunk;
    }
  }
  starts[terms.length] = length;
  return { bytes: bytes.subarray(0, length), starts };
}

const POSTING_BYTES_MAX = 24;

function withRoom(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length + POSTING_BYTES_MAX <= bytes.length) return bytes;
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
