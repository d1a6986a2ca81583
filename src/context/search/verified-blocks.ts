import { BinderyError } from '../../contract/errors.ts';
import {
  BLOCK_BYTES,
  blockDigest,
  type DecodedHeader,
  DIGEST_BYTES,
  decodeHeader,
  HEADER_BYTES,
  isRootRight,
} from './index-layout.ts';

/** Reads a part of the index file; less than asked for if the file ends. */
export type ReadAt = (offset: number, length: number) => Uint8Array;

/** Blocks that stay in memory: 32 MiB. */
const KEPT_BLOCKS = 2048;

/** The sections of an index file. Verifies each block when it is read, and caches the most recently used blocks. */
export class VerifiedBlocks {
  readonly header: DecodedHeader;
  readonly #read: ReadAt;
  readonly #digests: Uint8Array;
  readonly #kept = new Map<number, Uint8Array>();

  private constructor(header: DecodedHeader, digests: Uint8Array, read: ReadAt) {
    this.header = header;
    this.#digests = digests;
    this.#read = read;
  }

  /** Opens an index of this cache. Throws `cache_invalid` if it belongs to another cache or is damaged. */
  static open(read: ReadAt, size: number, cacheVersion: string): VerifiedBlocks {
    const header = decodeHeader(read(0, HEADER_BYTES), cacheVersion);
    if (!header || header.size !== size) throw damagedIndex();
    const before = Uint8Array.from(read(0, HEADER_BYTES + header.digestBytes));
    if (before.length !== HEADER_BYTES + header.digestBytes || !isRootRight(before)) throw damagedIndex();
    return new VerifiedBlocks(header, before.subarray(HEADER_BYTES), read);
  }

  /** These bytes, counted from the end of the digests. They may be shared: do not modify them. */
  bytes(start: number, length: number): Uint8Array {
    const first = Math.floor(start / BLOCK_BYTES);
    const last = Math.floor((start + Math.max(length, 1) - 1) / BLOCK_BYTES);
    if (first === last)
      return this.#block(first).subarray(start - first * BLOCK_BYTES, start - first * BLOCK_BYTES + length);
    const joined = new Uint8Array((last - first + 1) * BLOCK_BYTES);
    for (let block = first; block <= last; block++) joined.set(this.#block(block), (block - first) * BLOCK_BYTES);
    return joined.subarray(start - first * BLOCK_BYTES, start - first * BLOCK_BYTES + length);
  }

  /** Checks every block. */
  requireWhole(): void {
    for (let block = 0; block * DIGEST_BYTES < this.#digests.length; block++) this.#load(block);
  }

  #block(number: number): Uint8Array {
    const kept = this.#kept.get(number);
    if (kept) return kept;
    const block = this.#load(number);
    this.#kept.set(number, block);
    if (this.#kept.size > KEPT_BLOCKS) {
      const [oldest] = this.#kept.keys();
      this.#kept.delete(oldest as number);
    }
    return block;
  }

  #load(number: number): Uint8Array {
    const before = HEADER_BYTES + this.header.digestBytes;
    const offset = before + number * BLOCK_BYTES;
    const length = Math.min(BLOCK_BYTES, this.header.size - offset);
    const block = this.#read(offset, length);
    const digest = this.#digests.subarray(number * DIGEST_BYTES, (number + 1) * DIGEST_BYTES);
    if (block.length !== length || Buffer.compare(blockDigest(block), digest) !== 0) throw damagedIndex();
    return block;
  }
}

export function damagedIndex(): BinderyError {
  return new BinderyError('cache_invalid', {
    detail: 'the search index is damaged or belongs to another cache',
    next: 'Build the cache again with `context build --force`.',
  });
}
