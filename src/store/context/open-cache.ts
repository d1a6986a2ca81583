import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ContextDocument, decodeDocument } from '../../context/document.ts';
import { DOCUMENTS_FOLDER, documentFile } from '../../context/document-files.ts';
import type { DocumentTable } from '../../context/document-table.ts';
import { sha256Hex } from '../../context/hash.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { decodeManifest, MANIFEST_FILE } from '../../context/manifest.ts';
import type { Manifest } from '../../context/manifest-scan.ts';
import { decodePostings, IS_LITTLE_ENDIAN, POSTINGS_FILE, type Postings } from '../../context/postings.ts';
import type { OpenCache } from '../../context/resolve-context.ts';
import { SEARCH_FILE } from '../../context/search/index-layout.ts';
import { cacheInvalid, isAbsent, toFileError } from './file-errors.ts';
import { identityOf, type PlainFile, readPlainBytes, readPlainFile } from './read-file.ts';
import { FolderSearch } from './search-file.ts';

/** A cache folder whose manifest (and postings, where it has them) are in memory and verified. */
export interface CacheFolder extends OpenCache {
  /** Hex SHA-256 that the postings have, as far as there are any. */
  readonly postingsSha256: string | undefined;
  /** Whether the files that were read are still the ones on disk. */
  isCurrent(): boolean;
}

/** Opens a folder as a cache. Throws `cache_invalid`, or `io_error` where a file may not be read. */
export function openCacheFolder(folder: string): CacheFolder {
  const startedMs = Date.now();
  const file = readManifestFile(folder);
  const manifest = decodeManifest(file.bytes);
  if (!manifest) throw cacheInvalid('the manifest is not valid');
  const searchIdentity = identityAt(join(folder, SEARCH_FILE));
  const { postings, identity } = openPostings(folder, manifest);
  const search = new FolderSearch({ folder, cacheVersion: manifest.cacheVersion, documentCount: manifest.table.count });
  const isSettled = startedMs - file.changedMs > CONTEXT_LIMITS.settledMs;
  return {
    cacheVersion: manifest.cacheVersion,
    table: manifest.table,
    postings,
    postingsSha256: postings && manifest.postingsSha256,
    search: (use, signal) => search.use(use, signal),
    readDocuments: (indices, use, signal) => readDocuments(folder, manifest.table, indices, use, signal),
    isCurrent: () =>
      isSettled &&
      identityAt(join(folder, MANIFEST_FILE)) === file.identity &&
      identityAt(join(folder, POSTINGS_FILE)) === identity &&
      identityAt(join(folder, SEARCH_FILE)) === searchIdentity,
  };
}

/** The manifest's bytes; a folder without one is not a cache. */
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

/** Postings that are there must be the ones that the manifest names; that they are not there only makes resolve slow. */
function openPostings(folder: string, manifest: Manifest): { postings: Postings | undefined; identity: string } {
  const path = join(folder, POSTINGS_FILE);
  if (manifest.postingsSha256 === undefined || !IS_LITTLE_ENDIAN) {
    return { postings: undefined, identity: identityAt(path) };
  }
  let file: PlainFile | undefined;
  try {
    file = readPlainFile(path);
  } catch (thrown) {
    if (identityAt(path) === '') return { postings: undefined, identity: '' };
    throw isAbsent(thrown) ? cacheInvalid('the postings are not a regular file', thrown) : toFileError(thrown);
  }
  if (!file || sha256Hex(file.bytes) !== manifest.postingsSha256) {
    throw cacheInvalid('the postings are not the ones that the manifest names');
  }
  const postings = decodePostings(file.bytes, manifest.cacheVersion, manifest.table.count);
  if (!postings) throw cacheInvalid('the postings belong to another cache');
  return { postings, identity: file.identity };
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

/** A document that is exactly the one that the manifest lists. */
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

/** Files below a symlinked folder would be elsewhere. */
export function requireDocumentsFolder(folder: string): void {
  try {
    if (lstatSync(join(folder, DOCUMENTS_FOLDER)).isDirectory()) return;
  } catch (thrown) {
    if (!isAbsent(thrown)) throw toFileError(thrown);
  }
  throw cacheInvalid('it has no folder of documents');
}

/** Empty where there is nothing. */
function identityAt(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? identityOf(stats) : '';
}
