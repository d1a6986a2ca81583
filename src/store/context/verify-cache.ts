import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { DOCUMENTS_FOLDER, documentFile } from '../../context/document-files.ts';
import type { DocumentTable } from '../../context/document-table.ts';
import { sha256Hex } from '../../context/hash.ts';
import { INDEX_FILE, indexLists } from '../../context/index-file.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import type { ReportProgress } from '../../context/ports.ts';
import { encodePostings, POSTINGS_FILE } from '../../context/postings.ts';
import type { Verification } from '../../context/reports.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isUnexpectedName } from './cache-names.ts';
import { isAbsent, toFileError } from './file-errors.ts';
import { type CacheFolder, openCacheFolder, readDocument, requireDocumentsFolder } from './open-cache.ts';
import { PostingsBuilder } from './postings-builder.ts';
import { readPlainFile } from './read-file.ts';
import { SearchCheck } from './search-check.ts';
import { missing, postingsProblems } from './side-files.ts';
import { TermCounter } from './term-counter.ts';

/** Checks everything about a cache that can be checked, and lists the problems. */
export async function verifyFolder(
  folder: string,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<Verification> {
  let cache: CacheFolder;
  try {
    cache = openCacheFolder(folder);
    if (cache.table.count > 0) requireDocumentsFolder(folder);
  } catch (thrown) {
    if (!isInvalid(thrown)) throw thrown;
    return { cache_version: '', document_count: 0, valid: false, problems: [thrown.message] };
  }
  const { table } = cache;
  const damagedPostings = postingsProblems(cache);
  const problems = [
    ...misnamed(table),
    ...unexpectedFiles(folder),
    ...orphans(folder, table),
    ...indexProblems(folder, table),
    ...damagedPostings,
  ];
  const searchProblems = new SearchCheck(cache, folder);
  const postings = new PostingsBuilder(table.count);
  const counter = new TermCounter();
  let isReadable = true;
  for (let index = 0; index < table.count; index++) {
    if (index % CONTEXT_LIMITS.readBatch === 0) {
      await setImmediate();
      signal.throwIfAborted();
      progress(index, table.count);
    }
    try {
      const { id, content } = readDocument(folder, table, index);
      const bytes = Buffer.from(content);
      counter.add(content, bytes);
      searchProblems.add(id, content, bytes);
    } catch (thrown) {
      if (!isInvalid(thrown)) throw thrown;
      isReadable = false;
      problems.push(`${table.file(index)}: ${thrown.message}`);
    }
  }
  if (isReadable && damagedPostings.length === 0 && cache.postings) {
    postings.add(counter.take(), 0, 0);
    if (sha256Hex(encodePostings(postings.build(cache.cacheVersion))) !== cache.postingsSha256) {
      problems.push(`${POSTINGS_FILE}: it does not match the documents`);
    }
  }
  if (isReadable) problems.push(...searchProblems.find());
  return {
    cache_version: cache.cacheVersion,
    document_count: table.count,
    valid: problems.length === 0,
    problems: problems.slice(0, CONTEXT_LIMITS.problemsMax),
  };
}

/** The first document with given 12 digits has the short name, every later one the long name. */
export function* misnamed(table: DocumentTable): Generator<string> {
  const taken = new Set<string>();
  for (let index = 0; index < table.count; index++) {
    const file = table.file(index);
    const short = documentFile(table.id(index), table.version(index), false);
    if ((file === short) === taken.has(short)) yield `${file}: it should have another name`;
    taken.add(short);
  }
}

/** Files that no build writes to the top level of a cache. */
function unexpectedFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter(isUnexpectedName)
    .sort()
    .map((name) => `${name}: it is no part of a cache`);
}

function* orphans(folder: string, table: DocumentTable): Iterable<string> {
  const listed = new Set<string>();
  for (let index = 0; index < table.count; index++) listed.add(basename(table.file(index)));
  for (const name of documentNames(folder)) {
    if (!listed.has(name)) yield `${DOCUMENTS_FOLDER}/${name}: the manifest does not list it`;
  }
}

function documentNames(folder: string): string[] {
  try {
    return readdirSync(join(folder, DOCUMENTS_FOLDER));
  } catch (thrown) {
    // Each document is reported as missing then.
    if (isAbsent(thrown)) return [];
    throw toFileError(thrown);
  }
}

function indexProblems(folder: string, table: DocumentTable): string[] {
  let bytes: Buffer | undefined;
  try {
    bytes = readPlainFile(join(folder, INDEX_FILE))?.bytes;
  } catch (thrown) {
    if (!isAbsent(thrown)) throw toFileError(thrown);
  }
  if (!bytes) return [missing(INDEX_FILE)];
  return indexLists(bytes, table) ? [] : [`${INDEX_FILE}: it does not list the documents of the manifest`];
}

function isInvalid(thrown: unknown): thrown is BinderyError {
  return thrown instanceof BinderyError && thrown.code === 'cache_invalid';
}
