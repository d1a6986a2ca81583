import { hash } from 'node:crypto';
import { hexOfVersion } from '../hash.ts';
import { encodeUtf8 } from '../utf8.ts';

export const SEARCH_FILE = 'search.bin';

/*
 * Layout, little-endian; every section starts on a multiple of four:
 *   header, 256 bytes: magic (8 bytes, the last one is the version of the format) · cache_version (32) · root (32) · documents, chunks,
 *     terms, languages (u32 each) · words of all headings, paths and bodies (f64 each) · bytes of each section (u32 each) · zeros
 *   digests: of each block of 16 KiB of what follows, the first 16 bytes of its SHA-256. The root is the SHA-256 of the header, with
 *     zeros in its place, and the digests: so a part of the file can be read and checked without the rest.
 *   measures u16[4 × chunks]: words of heading, path and body, and tokens · chunks u32[5 × chunks]: document, first and last byte of
 *     its content, first and last byte of its headings · headings, a line feed between · term starts u32[terms + 1] · posting starts
 *     u32[terms + 1] · term bytes: the terms in byte order, end to end, each after the digit of its language · posting bytes: per
 *     term the number of chunks, then per chunk (distance to the chunk before << 2 | kind) and what the kind asks for: 0 once in
 *     the body, 1 count in the body, 2 counts in heading, path and body; all of them varints
 */
const MAGIC = encodeUtf8('bndsrch1');
export const HEADER_BYTES = 256;
export const BLOCK_BYTES = 16 * 1024;
export const DIGEST_BYTES = 16;
const ROOT_AT = 40;
const ROOT_BYTES = 32;
const COUNTS_AT = 72;
const TOTALS_AT = 88;
const LENGTHS_AT = 112;

export const SECTIONS = [
  'measures',
  'chunks',
  'headings',
  'termStarts',
  'postingStarts',
  'termBytes',
  'postingBytes',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** Where the sections are, counted from the end of the digests. */
export type SectionPlaces = Readonly<Record<SectionName, { readonly start: number; readonly length: number }>>;

export interface IndexHeader {
  readonly documents: number;
  readonly chunks: number;
  readonly terms: number;
  /** A bit for each language that has documents. */
  readonly languages: number;
  /** Words of all headings, paths and bodies. */
  readonly totals: readonly [number, number, number];
}

export interface DecodedHeader extends IndexHeader {
  readonly places: SectionPlaces;
  readonly digestBytes: number;
  readonly size: number;
}

/** The bytes of an index file with these sections. */
export function assembleIndex(
  cacheVersion: string,
  { documents, chunks, terms, languages, totals }: IndexHeader,
  sections: Readonly<Record<SectionName, Uint8Array>>,
): Uint8Array<ArrayBuffer> {
  const lengths = SECTIONS.map((name) => sections[name].byteLength);
  const dataBytes = lengths.reduce((sum, length) => sum + aligned(length), 0);
  if (lengths.some((length) => length > 0xffff_ffff))
    throw new RangeError('a section of the search index is over 4 GiB');
  const digestBytes = Math.ceil(dataBytes / BLOCK_BYTES) * DIGEST_BYTES;
  const file = new Uint8Array(HEADER_BYTES + digestBytes + dataBytes);
  const view = new DataView(file.buffer);
  file.set(MAGIC);
  file.set(Buffer.from(hexOfVersion(cacheVersion), 'hex'), MAGIC.length);
  for (const [index, count] of [documents, chunks, terms, languages].entries())
    view.setUint32(COUNTS_AT + 4 * index, count, true);
  for (const [index, total] of totals.entries()) view.setFloat64(TOTALS_AT + 8 * index, total, true);
  for (const [index, length] of lengths.entries()) view.setUint32(LENGTHS_AT + 4 * index, length, true);
  let offset = HEADER_BYTES + digestBytes;
  for (const name of SECTIONS) {
    file.set(sections[name], offset);
    offset += aligned(sections[name].byteLength);
  }
  for (let block = 0; block * DIGEST_BYTES < digestBytes; block++) {
    const start = HEADER_BYTES + digestBytes + block * BLOCK_BYTES;
    file.set(blockDigest(file.subarray(start, start + BLOCK_BYTES)), HEADER_BYTES + block * DIGEST_BYTES);
  }
  file.set(rootOf(file.subarray(0, HEADER_BYTES + digestBytes)), ROOT_AT);
  return file;
}

/** Whether the header of a file is that of this index format. */
export function isIndexFormat(header: Uint8Array): boolean {
  return header.length === HEADER_BYTES && MAGIC.every((byte, index) => header[index] === byte);
}

/** Whether a newer or an older Bindery wrote the index: only the version digit of the magic differs. It is then ignored. */
export function isOtherFormat(header: Uint8Array): boolean {
  const version = MAGIC.length - 1;
  const isIndex =
    header.length >= MAGIC.length && MAGIC.subarray(0, version).every((byte, index) => header[index] === byte);
  return isIndex && header[version] !== MAGIC[version];
}

/** The decoded header; undefined if the file is not an index of this cache. */
export function decodeHeader(header: Uint8Array, cacheVersion: string): DecodedHeader | undefined {
  if (!isIndexFormat(header)) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const own = Buffer.from(header.buffer, header.byteOffset + MAGIC.length, 32).toString('hex');
  if (own !== hexOfVersion(cacheVersion)) return undefined;
  const count = (index: number) => view.getUint32(COUNTS_AT + 4 * index, true);
  const total = (index: number) => view.getFloat64(TOTALS_AT + 8 * index, true);
  let start = 0;
  const places = Object.fromEntries(
    SECTIONS.map((name, index) => {
      const place = { start, length: view.getUint32(LENGTHS_AT + 4 * index, true) };
      start += aligned(place.length);
      return [name, place];
    }),
  ) as SectionPlaces;
  const digestBytes = Math.ceil(start / BLOCK_BYTES) * DIGEST_BYTES;
  return {
    documents: count(0),
    chunks: count(1),
    terms: count(2),
    languages: count(3),
    totals: [total(0), total(1), total(2)],
    places,
    digestBytes,
    size: HEADER_BYTES + digestBytes + start,
  };
}

/** Whether header and digests, which are adjacent, match the root. */
export function isRootRight(headerAndDigests: Uint8Array): boolean {
  const root = headerAndDigests.subarray(ROOT_AT, ROOT_AT + ROOT_BYTES);
  return Buffer.compare(root, rootOf(headerAndDigests)) === 0;
}

/** The digest of a block. */
export function blockDigest(block: Uint8Array): Uint8Array {
  return hash('sha256', block, 'buffer').subarray(0, DIGEST_BYTES);
}

function rootOf(headerAndDigests: Uint8Array): Uint8Array {
  const copy = Buffer.from(headerAndDigests);
  copy.fill(0, ROOT_AT, ROOT_AT + ROOT_BYTES);
  return hash('sha256', copy, 'buffer');
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}
