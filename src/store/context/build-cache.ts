import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { DOCUMENTS_FOLDER, documentFile } from '../../context/document-files.ts';
import { type DocumentEntry, tableOf } from '../../context/document-table.ts';
import { encodeIndex, INDEX_FILE } from '../../context/index-file.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { encodeEntries, encodeManifest, MANIFEST_FILE } from '../../context/manifest.ts';
import type { BuildRequest, CacheBuilder, ReportProgress } from '../../context/ports.ts';
import { IS_LITTLE_ENDIAN, POSTINGS_FILE } from '../../context/postings.ts';
import type { BuildReport } from '../../context/reports.ts';
import { SEARCH_FILE } from '../../context/search/index-layout.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import type { ReachStep } from './build-steps.ts';
import { isUnexpectedName } from './cache-names.ts';
import { errorCode, toFileError } from './file-errors.ts';
import { IngestPool } from './ingest-pool.ts';
import { isUtf8Source, versionAt } from './ingest-sources.ts';
import { keptCache } from './kept-cache.ts';
import { indexMakers } from './make-index.ts';
import { notAsWritten, requireWritten } from './require-written.ts';
import { FolderSwap, syncInBackground } from './swap-folder.ts';
import { type FoundSources, type SourceFile, walkSources } from './walk-sources.ts';

interface BuildPorts {
  readonly clock: Clock;
  readonly reach: ReachStep;
}

/** Builds caches in folders. */
export function createCacheBuilder(clock: Clock, reach: ReachStep = () => {}): CacheBuilder {
  return {
    async build(request, signal, progress) {
      try {
        return await buildCache(request, { clock, reach }, signal, progress);
      } catch (thrown) {
        throw toFileError(thrown);
      }
    },
  };
}

async function buildCache(
  request: BuildRequest,
  ports: BuildPorts,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<BuildReport> {
  const sources = requireSources(request.sources);
  const target = resolve(request.cache);
  const replace = request.force || request.incremental;
  const hasOld = checkTarget(target, replace, sources);
  const swap = new FolderSwap(target);
  const reuse = request.incremental && hasOld ? target : undefined;
  const pool = new IngestPool({ sources, cache: swap.folder, reuse });
  try {
    const found = await walkSources(sources, request, (count) => pool.expect(count));
    const { files, remarks } = usable(sources, found, request.skipInvalid === true);
    const kept = reuse && (await keptCache(reuse, files, pool, signal, progress));
    if (kept) return { ...kept, ...remarks };
    const report = await fillFolder(swap.folder, files, pool, ports, signal, progress);
    signal.throwIfAborted();
    swap.commit(replace, ports.reach);
    return { ...report, ...remarks };
  } finally {
    await pool.close();
    swap.discard();
  }
}

/** The sources that become documents, and remarks about the others for the report. */
function usable(sources: string, { files, leftOut }: FoundSources, skipInvalid: boolean) {
  const skipped = skipInvalid ? files.filter(({ source }) => !isUtf8Source(sources, source)) : [];
  const first = skipped.slice(0, CONTEXT_LIMITS.problemsMax).map(({ source }) => source);
  return {
    files: skipped.length === 0 ? files : files.filter((file) => !skipped.includes(file)),
    remarks: {
      ...(Object.keys(leftOut).length > 0 ? { left_out: leftOut } : {}),
      ...(skipped.length > 0 ? { skipped: { files: skipped.length, first } } : {}),
    },
  };
}

/** Writes everything, the manifest last, so that a folder with a manifest is complete; then reads it back. */
async function fillFolder(
  folder: string,
  files: readonly SourceFile[],
  pool: IngestPool,
  { clock, reach }: BuildPorts,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<BuildReport> {
  mkdirSync(join(folder, DOCUMENTS_FOLDER));
  reach('folder made');
  const makers = indexMakers(files.length);
  try {
    const entries = await writeDocuments(files, pool, makers, signal, progress);
    const settled = settleNames(folder, entries);
    const table = tableOf(settled);
    reach('documents written');
    const cacheVersion = table.cacheVersion();
    const index = Buffer.from(encodeIndex(table));
    const encodeRest = async () => {
      writeFileSync(join(folder, INDEX_FILE), index);
      reach('index written');
      return encodeEntries(table);
    };
    // Builds the postings, syncs the disk and reads documents back while the index is written.
    const [postingsSha256, searchSha256, , documents, wrongFile] = await allDone([
      IS_LITTLE_ENDIAN ? makers.postings.write(join(folder, POSTINGS_FILE), cacheVersion) : undefined,
      IS_LITTLE_ENDIAN ? makers.search.write(join(folder, SEARCH_FILE), cacheVersion) : undefined,
      syncInBackground(join(folder, DOCUMENTS_FOLDER)),
      encodeRest(),
      pool.wrongFile(files, settled, signal),
    ]);
    if (wrongFile !== undefined) throw notAsWritten(wrongFile);
    reach('postings written');
    reach('search index written');
    const createdAt = new Date(clock.now()).toISOString();
    const manifest = Buffer.from(encodeManifest(table, createdAt, postingsSha256, documents));
    writeDurably(join(folder, MANIFEST_FILE), manifest);
    reach('manifest written');
    requireWritten(folder, { documents: settled, manifest, index, postingsSha256, searchSha256 });
    return { cache_version: cacheVersion, document_count: table.count };
  } finally {
    await Promise.all([makers.postings.close(), makers.search.close()]);
  }
}

/** Writes the document files; returns their entries for the manifest. */
async function writeDocuments(
  files: readonly SourceFile[],
  pool: IngestPool,
  { postings, search }: ReturnType<typeof indexMakers>,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<DocumentEntry[]> {
  const entries: DocumentEntry[] = new Array(files.length);
  let done = 0;
  await pool.ingest(
    files,
    ({ first, vocabulary, ingested }) => {
      const { versions, repeated } = ingested;
      repeated.forEach((isRepeated, index) => {
        const { id } = files[first + index] as SourceFile;
        entries[first + index] = { id, version: versionAt(versions, index), isRepeated: isRepeated === 1 };
      });
      postings.add(ingested.counted, first, vocabulary);
      search.add(ingested.search, first, vocabulary);
      done += repeated.length;
      progress(done, files.length);
    },
    signal,
  );
  return entries;
}

/** Waits for all, even after a failure: nothing may write into a folder that is being removed. */
async function allDone<T extends readonly unknown[]>(
  work: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Several threads write at once, so a later document may have taken the short name that belongs to the first in id order: swaps the names.
 */
function settleNames(folder: string, entries: readonly DocumentEntry[]): DocumentEntry[] {
  const prefixOf = ({ id, version }: DocumentEntry) => documentFile(id, version, false);
  const shared = new Set(entries.filter((entry) => entry.isRepeated).map(prefixOf));
  if (shared.size === 0) return [...entries];
  const holders = new Map(entries.filter((entry) => !entry.isRepeated).map((entry) => [prefixOf(entry), entry]));
  const settled = new Set<string>();
  return entries.map((entry) => {
    const prefix = prefixOf(entry);
    if (!shared.has(prefix)) return entry;
    if (settled.has(prefix)) return { ...entry, isRepeated: true };
    settled.add(prefix);
    if (entry.isRepeated) {
      const holder = holders.get(prefix) as DocumentEntry;
      renameSync(join(folder, prefix), join(folder, documentFile(holder.id, holder.version, true)));
      renameSync(join(folder, documentFile(entry.id, entry.version, true)), join(folder, prefix));
    }
    return { ...entry, isRepeated: false };
  });
}

function requireSources(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return realpathSync(path);
  throw new BinderyError('io_error', {
    detail:
      isFolder === undefined ? `there is no folder of sources at ${path}` : `the sources ${path} are not a folder`,
    next: 'Pass the folder that holds the documents with --sources.',
  });
}

/** Whether there is an old cache. A folder that is no cache is never replaced. */
function checkTarget(target: string, replace: boolean, sources: string): boolean {
  const names = namesIn(target);
  if (!names) return false;
  if (!replace) {
    throw new BinderyError('io_error', {
      detail: 'the cache exists already',
      next: 'Pass --force to replace it, or choose another --cache.',
    });
  }
  const unexpected = names.find(isUnexpectedName);
  if (unexpected !== undefined) {
    throw new BinderyError('io_error', { detail: `the folder holds ${unexpected}, which is no part of a cache` });
  }
  const real = realpathSync(target);
  if (sources === real || sources.startsWith(real + sep)) {
    throw new BinderyError('io_error', { detail: 'the sources are inside the cache that would be replaced' });
  }
  return true;
}

/** Undefined if there is no folder. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    if (errorCode(thrown) !== 'ENOTDIR') throw thrown;
    throw new BinderyError('io_error', {
      detail: `${folder} cannot be a cache: it, or what it is in, is a file`,
      next: 'Choose another folder with --cache.',
      cause: thrown,
    });
  }
}

function writeDurably(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
