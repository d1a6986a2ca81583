import { join } from 'node:path';
import { IS_LITTLE_ENDIAN } from '../../context/postings.ts';
import { HEADER_BYTES, isIndexFormat, SEARCH_FILE } from '../../context/search/index-layout.ts';
import { isAbsent, toFileError } from './file-errors.ts';
import type { CacheFolder } from './open-cache.ts';
import { readPlainBytes } from './read-file.ts';
import { SearchBuilder } from './search-builder.ts';
import { SearchCounter } from './search-counter.ts';
import { isSearchIndexMissing, missing } from './side-files.ts';

/** Compares the search index of a cache, if it has one, with an index built from its documents. */
export class SearchCheck {
  readonly #cache: CacheFolder;
  readonly #found: Buffer | undefined;
  readonly #counter: SearchCounter | undefined;
  readonly #problems: string[] = [];

  constructor(cache: CacheFolder, folder: string) {
    this.#cache = cache;
    if (isSearchIndexMissing(cache, folder)) this.#problems.push(missing(SEARCH_FILE));
    this.#found = this.#read(join(folder, SEARCH_FILE));
    this.#counter = this.#found && IS_LITTLE_ENDIAN ? new SearchCounter() : undefined;
  }

  /** Documents come in id order: the content, and the same as UTF-8. */
  add(id: string, content: string, bytes: Uint8Array): void {
    this.#counter?.add(id, content, bytes);
  }

  find(): readonly string[] {
    if (!this.#counter || !this.#found) return this.#problems;
    const { cacheVersion, table } = this.#cache;
    const builder = new SearchBuilder();
    builder.add(this.#counter.take(), 0, 0);
    if (this.#found.equals(builder.build(cacheVersion, table.count))) return this.#problems;
    const isKnown = isIndexFormat(this.#found.subarray(0, HEADER_BYTES));
    return [
      `${SEARCH_FILE}: ${isKnown ? 'it does not match the documents' : 'it is not a search index of this version'}`,
    ];
  }

  #read(path: string): Buffer | undefined {
    try {
      const bytes = readPlainBytes(path);
      if (!bytes) this.#problems.push(`${SEARCH_FILE}: it is not a regular file`);
      return bytes;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      if (!isAbsent(thrown)) throw toFileError(thrown);
      this.#problems.push(`${SEARCH_FILE}: it is not a regular file`);
      return undefined;
    }
  }
}
