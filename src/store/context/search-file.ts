import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { IS_LITTLE_ENDIAN } from '../../context/postings.ts';
import { HEADER_BYTES, isOtherFormat, SEARCH_FILE } from '../../context/search/index-layout.ts';
import { SearchIndex } from '../../context/search/search-index.ts';
import { damagedIndex } from '../../context/search/verified-blocks.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isAbsent, toFileError } from './file-errors.ts';
import { identityOf, READ_PLAIN } from './read-file.ts';

/** A question to the thread that indexes documents. */
export interface IndexQuestion {
  readonly folder: string;
  readonly cacheVersion: string;
}

/** Undefined if the folder now contains another cache. */
export interface IndexAnswer {
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

export interface IndexedCache {
  readonly folder: string;
  readonly cacheVersion: string;
  readonly documentCount: number;
}

/** The search index of a cache folder: a file that is read in parts, or an in-memory index if the cache has none. */
export class FolderSearch {
  readonly #cache: IndexedCache;
  #file: SearchFile | undefined;
  #made: Promise<SearchIndex> | undefined;

  constructor(cache: IndexedCache) {
    this.#cache = cache;
  }

  /** Runs `use` on the index. The file is open only during that time. */
  async use<T>(use: (index: SearchIndex) => T, signal: AbortSignal): Promise<T> {
    this.#file ??= this.#made ? undefined : SearchFile.find(this.#cache);
    if (this.#file) return this.#file.use(use);
    this.#made ??= this.#make();
    const index = await untilAborted(this.#made, signal);
    return use(index);
  }

  /** A call that ends early leaves the index to the next call: indexing a large cache takes longer than a call may. */
  #make(): Promise<SearchIndex> {
    const made = indexDocuments(this.#cache);
    made.catch(() => {
      // The waiting caller gets the error; the next one retries.
      this.#made = undefined;
    });
    return made;
  }
}

/** The file of a search index. */
export class SearchFile {
  readonly #path: string;
  readonly #identity: string;
  readonly #index: SearchIndex;
  #file: number;

  private constructor(path: string, file: number, { cacheVersion, documentCount }: IndexedCache) {
    const stats = fstatSync(file, { bigint: true });
    this.#path = path;
    this.#file = file;
    this.#identity = identityOf(stats);
    const read = (offset: number, length: number) => readPart(this.#file, offset, length);
    this.#index = SearchIndex.open(read, Number(stats.size), cacheVersion, documentCount);
  }

  /** Undefined if the cache has none, or one of another format version. */
  static find(cache: IndexedCache): SearchFile | undefined {
    if (!IS_LITTLE_ENDIAN) return undefined;
    const path = join(cache.folder, SEARCH_FILE);
    const file = openIfThere(path);
    if (file === undefined) return undefined;
    try {
      if (!fstatSync(file).isFile()) throw damagedIndex();
      const header = readPart(file, 0, HEADER_BYTES);
      if (isOtherFormat(header)) return undefined;
      return new SearchFile(path, file, cache);
    } catch (thrown) {
      throw toFileError(thrown);
    } finally {
      closeSync(file);
    }
  }

  use<T>(use: (index: SearchIndex) => T): T {
    const file = openIfThere(this.#path);
    // A build has replaced the cache meanwhile: the caller opens it again.
    if (file === undefined) throw damagedIndex();
    this.#file = file;
    try {
      if (identityOf(fstatSync(file, { bigint: true })) !== this.#identity) throw damagedIndex();
      return use(this.#index);
    } catch (thrown) {
      throw toFileError(thrown);
    } finally {
      this.#file = -1;
      closeSync(file);
    }
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, READ_PLAIN);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw isAbsent(thrown) ? damagedIndex() : toFileError(thrown);
  }
}

/** On some file systems a read returns less than requested. */
function readPart(file: number, offset: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  let read = 0;
  while (read < length) {
    const got = readSync(file, bytes, read, length - read, offset + read);
    if (got === 0) break;
    read += got;
  }
  return bytes.subarray(0, read);
}

/** Indexes a cache without an index, off the event loop and in memory only. */
async function indexDocuments({ folder, cacheVersion, documentCount }: IndexedCache): Promise<SearchIndex> {
  // Loaded on demand, because it is rarely needed.
  const { AskedThread } = await import('./asked-thread.ts');
  const thread = new AskedThread<IndexQuestion, IndexAnswer>('index-documents-worker', undefined);
  try {
    const { bytes } = await thread.ask({ folder, cacheVersion });
    if (!bytes) throw new BinderyError('cache_invalid', { detail: 'the cache was replaced meanwhile' });
    const read = (offset: number, length: number) => bytes.subarray(offset, offset + length);
    return SearchIndex.open(read, bytes.length, cacheVersion, documentCount);
  } finally {
    await thread.close();
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
