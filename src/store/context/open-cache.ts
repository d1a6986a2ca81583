import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ContextDocument, decodeDocument } from '../../context/document.ts';
import { DOCUMENTS_FOLDER, documentFile } from '../../context/document-files.ts';
import type { DocumentTable } from '../../context/document-table.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { decodeManifest, MANIFEST_FILE } from '../../context/manifest.ts';
import { POSTINGS_FILE } from '../../context/postings.ts';
import type { OpenCache } from '../../context/resolve-context.ts';
import { SEARCH_FILE } from '../../context/search/index-layout.ts';
import { cacheInvalid, isAbsent, toFileError } from './file-errors.ts';
import { FolderPostings } from './postings-file.ts';
import { identityAt, type PlainFile, readPlainBytes, readPlainFile } from './read-file.ts';
import { FolderSearch } from './search-file.ts';

/** A cache folder with a verified manifest in memory; postings and search index are opened on demand. */
export interface CacheFolder extends OpenCache {
  /** Hex SHA-256 of the postings, from the manifest. */
  readonly postingsSha256: string | undefined;
  readonly isPostingsMissing: boolean;
  /** Whether the files on disk are still the ones that were read. */
  isCurrent(): boolean;
}

/** Opens a folder as a cache. Throws `cache_invalid`, or `io_error` if a file is unreadable. */
export function openCacheFolder(folder: string): CacheFolder {
  const startedMs = Date.now();
  const file = readManifestFile(folder);
  const manifest = decodeManifest(file.bytes);
  if (!manifest) throw cacheInvalid('the manifest is not valid');
  const searchIdentity = identityAt(join(folder, SEARCH_FILE));
  const postings = new FolderPostings(folder, manifest);
  const search = new FolderSearch({ folder, cacheVersion: manifest.cacheVersion, documentCount: manifest.table.count });
  const isSettled = startedMs - file.changedMs > CONTEXT_LIMITS.settledMs;
  return {
    cacheVersion: manifest.cacheVersion,
    table: manifest.table,
    get postings() {
      return postings.get();
    },
    postingsSha256: manifest.postingsSha256,
    isPostingsMissing: postings.isMissing,
    search: (use, signal) => search.use(use, signal),
    readDocuments: (indices, use, signal) => readDocuments(folder, manifest.table, indices, use, signal),
    isCurrent: () =>
      isSettled &&
      identityAt(join(folder, MANIFEST_FILE)) === file.identity &&
      identityAt(join(folder, POSTINGS_FILE)) === postings.identity &&
      identityAt(join(folder, SEARCH_FILE)) === searchIdentity,
  };
}

/** The manifest's bytes; a folder without one is no cache. */
export function readManifestFile(folder: string): PlainFile {
  let file: PlainFile | undefined;
  try {
    file = readPlainFile(join(folder, MANIFEST_FILE));
  } catch (thrown) {
    if (isAbsent(thrown)) throw cacheInvalid('it has no manifest', thrown);
    throw toFileError(thrown);
  }
  if (!file) throw cacheInvalid('the manifest is not a regular file');
  return file;
}

async function readDocuments(
  folder: string,
  table: DocumentTable,
  indices: Iterable<number>,
  use: (document: ContextDocument, index: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let read = 0;
  for (const index of indices) {
    if (read === 0) requireDocumentsFolder(folder);
    if (read++ % CONTEXT_LIMITS.readBatch === CONTEXT_LIMITS.readBatch - 1) await setImmediate();
    signal.throwIfAborted();
    use(readDocument(folder, table, index), index);
  }
}

/** Reads a document and verifies it against the manifest. */
export function readDocument(folder: string, table: DocumentTable, index: number): ContextDocument {
  const id = table.id(index);
  const version = table.version(index);
  let bytes: Buffer | undefined;
  try {
    bytes = readPlainBytes(`${folder}/${documentFile(id, version, table.isRepeated(index))}`);
  } catch (thrown) {
    if (isAbsent(thrown)) throw cacheInvalid('a document is missing', thrown);
    throw toFileError(thrown);
  }
  const document = bytes && decodeDocument(bytes, id, version);
  if (!document) throw cacheInvalid('a document is not the one that the manifest lists');
  return document;
}

/** Refuses a symlinked folder, whose files would be elsewhere. */
export function requireDocumentsFolder(folder: string): void {
  try {
    if (lstatSync(join(folder, DOCUMENTS_FOLDER)).isDirectory()) return;
  } catch (thrown) {
    if (!isAbsent(thrown)) throw toFileError(thrown);
  }
  throw cacheInvalid('it has no folder of documents');
}
