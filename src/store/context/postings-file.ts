import { join } from 'node:path';
import { sha256Hex } from '../../context/hash.ts';
import type { Manifest } from '../../context/manifest-scan.ts';
import { decodePostings, IS_LITTLE_ENDIAN, POSTINGS_FILE, type Postings } from '../../context/postings.ts';
import { cacheInvalid, isAbsent, toFileError } from './file-errors.ts';
import { identityAt, type PlainFile, readPlainFile } from './read-file.ts';

/** The postings of a cache folder, read on demand: search does not need them. */
export class FolderPostings {
  readonly #path: string;
  readonly #manifest: Manifest;
  /** Identity of the file when the cache was opened; empty if there was none. */
  readonly identity: string;
  #read: { readonly postings: Postings | undefined } | undefined;

  constructor(folder: string, manifest: Manifest) {
    this.#path = join(folder, POSTINGS_FILE);
    this.#manifest = manifest;
    this.identity = identityAt(this.#path);
  }

  /** Whether the manifest names postings that are missing: resolve is then slower, with the same answers. */
  get isMissing(): boolean {
    return this.identity === '' && this.#manifest.postingsSha256 !== undefined;
  }

  /** Undefined if there are no usable postings. Throws `cache_invalid` if they do not match the manifest. */
  get(): Postings | undefined {
    this.#read ??= { postings: this.#open() };
    return this.#read.postings;
  }

  #open(): Postings | undefined {
    const { postingsSha256, cacheVersion, table } = this.#manifest;
    if (postingsSha256 === undefined || !IS_LITTLE_ENDIAN || this.identity === '') return undefined;
    const file = this.#file();
    if (file.identity !== this.identity) throw cacheInvalid('the cache was replaced meanwhile');
    if (sha256Hex(file.bytes) !== postingsSha256) {
      throw cacheInvalid('the postings are not the ones that the manifest names');
    }
    const postings = decodePostings(file.bytes, cacheVersion, table.count);
    if (!postings) throw cacheInvalid('the postings belong to another cache');
    return postings;
  }

  #file(): PlainFile {
    let file: PlainFile | undefined;
    try {
      file = readPlainFile(this.#path);
    } catch (thrown) {
      if (!isAbsent(thrown)) throw toFileError(thrown);
    }
    if (!file) throw cacheInvalid('the postings are not a regular file');
    return file;
  }
}
