import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS_FOLDER, documentFile } from '../../context/document-files.ts';
import type { DocumentEntry } from '../../context/document-table.ts';
import { sha256Hex } from '../../context/hash.ts';
import { INDEX_FILE } from '../../context/index-file.ts';
import { MANIFEST_FILE } from '../../context/manifest.ts';
import { POSTINGS_FILE } from '../../context/postings.ts';
import { SEARCH_FILE } from '../../context/search/index-layout.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isAbsent } from './file-errors.ts';
import { readPlainBytes } from './read-file.ts';

/** The contents of a cache that a build has written. */
export interface WrittenCache {
  readonly documents: readonly DocumentEntry[];
  readonly manifest: Buffer;
  readonly index: Buffer;
  /** Undefined if there are none. */
  readonly postingsSha256: string | undefined;
  readonly searchSha256: string | undefined;
}

/**
 * Throws if the disk does not match what a build wrote: compares manifest, index, postings and search index, and the names of the document
 * files in both directions. Document contents were read back when written.
 */
export function requireWritten(folder: string, written: WrittenCache): void {
  const { documents, manifest, index, postingsSha256, searchSha256 } = written;
  requireFile(folder, MANIFEST_FILE, (bytes) => bytes.equals(manifest));
  requireFile(folder, INDEX_FILE, (bytes) => bytes.equals(index));
  if (postingsSha256 !== undefined) requireFile(folder, POSTINGS_FILE, (bytes) => sha256Hex(bytes) === postingsSha256);
  if (searchSha256 !== undefined) requireFile(folder, SEARCH_FILE, (bytes) => sha256Hex(bytes) === searchSha256);
  const names = new Set(readdirSync(join(folder, DOCUMENTS_FOLDER)));
  for (const { id, version, isRepeated } of documents) {
    const file = documentFile(id, version, isRepeated);
    if (!names.delete(file.slice(DOCUMENTS_FOLDER.length + 1))) throw notAsWritten(file);
  }
  for (const name of names) throw notAsWritten(`${DOCUMENTS_FOLDER}/${name}`);
}

/** The error that fails a build, so that the cache is not put in place. */
export function notAsWritten(file: string): BinderyError {
  return new BinderyError('io_error', {
    detail: `${file} of the new cache is not on the disk as it should be, so the new cache was discarded`,
    next: 'Check the disk and build again; a cache that was there before is unchanged. If it stays, report it.',
  });
}

function requireFile(folder: string, file: string, isRight: (bytes: Buffer) => boolean): void {
  let bytes: Buffer | undefined;
  try {
    bytes = readPlainBytes(join(folder, file));
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
  }
  if (!bytes || !isRight(bytes)) throw notAsWritten(file);
}
