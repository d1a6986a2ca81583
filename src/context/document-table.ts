import { documentFile } from './document-files.ts';
import { versionOf } from './hash.ts';
import { encodeUtf8 } from './utf8.ts';

/** The only build configuration; the bytes that cache_version is computed over begin with its text. */
export const BUILD_CONFIG = { version: '1', hash_algorithm: 'sha256' } as const;
const BUILD_CONFIG_TEXT = JSON.stringify(BUILD_CONFIG);
export const BUILD_CONFIG_BYTES = encodeUtf8(BUILD_CONFIG_TEXT);

/** Bytes of `:sha256:` and 64 hex digits, which follow each id. */
export const VERSION_TAIL = 1 + 7 + 64;

export interface DocumentEntry {
  readonly id: string;
  readonly version: string;
  /** Whether its file needs the longer name, because an earlier document has the short one. */
  readonly isRepeated: boolean;
}

/**
 * The documents of a cache in id order, stored as the bytes that cache_version is computed over: 100,000 documents
 * are two buffers instead of 100,000 objects.
 */
export class DocumentTable {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #starts: Uint32Array;
  readonly #repeated: Uint8Array;

  /** `starts` has one more element than there are documents; `repeated` is 1 for each longer file name. */
  constructor(bytes: Uint8Array, starts: Uint32Array, repeated: Uint8Array) {
    this.count = starts.length - 1;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#starts = starts;
    this.#repeated = repeated;
  }

  id(index: number): string {
    return this.#bytes.toString('utf8', this.#starts[index], this.#end(index) - VERSION_TAIL);
  }

  version(index: number): string {
    const end = this.#end(index);
    return this.#bytes.toString('latin1', end - VERSION_TAIL + 1, end);
  }

  isRepeated(index: number): boolean {
    return this.#repeated[index] === 1;
  }

  /** File of the document, relative to the cache. */
  file(index: number): string {
    return this.entry(index).file;
  }

  /** All members of a document at once, which is cheaper than one by one. */
  entry(index: number): { readonly id: string; readonly version: string; readonly file: string } {
    const id = this.id(index);
    const version = this.version(index);
    return { id, version, file: documentFile(id, version, this.isRepeated(index)) };
  }

  cacheVersion(): string {
    return versionOf(this.#bytes);
  }

  #end(index: number): number {
    return this.#starts[index + 1] as number;
  }
}

/** The table of these entries, which are in id order. */
export function tableOf(entries: readonly DocumentEntry[]): DocumentTable {
  const starts = new Uint32Array(entries.length + 1);
  const repeated = new Uint8Array(entries.length);
  let text = BUILD_CONFIG_TEXT;
  let length = BUILD_CONFIG_BYTES.length;
  entries.forEach(({ id, version, isRepeated }, index) => {
    starts[index] = length;
    repeated[index] = isRepeated ? 1 : 0;
    text += `${id}:${version}`;
    length += Buffer.byteLength(id) + VERSION_TAIL;
  });
  starts[entries.length] = length;
  return new DocumentTable(encodeUtf8(text), starts, repeated);
}
