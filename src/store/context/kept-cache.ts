import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS_FOLDER } from '../../context/document-files.ts';
import type { DocumentTable } from '../../context/document-table.ts';
import { encodeIndex, INDEX_FILE } from '../../context/index-file.ts';
import { scanManifest } from '../../context/manifest-scan.ts';
import type { ReportProgress } from '../../context/ports.ts';
import type { BuildReport } from '../../context/reports.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isAbsent } from './file-errors.ts';
import type { IngestPool } from './ingest-pool.ts';
import { openCacheFolder, readManifestFile, requireDocumentsFolder } from './open-cache.ts';
import { readPlainBytes } from './read-file.ts';
import { SearchFile } from './search-file.ts';
import { misnamed } from './verify-cache.ts';
import type { SourceFile } from './walk-sources.ts';

/**
 * The report of an existing cache, if a build of these sources would produce the same one except for its time; undefined if anything
 * differs. Trusts the postings that the manifest names, without recounting.
 */
export async function keptCache(
  cache: string,
  files: readonly SourceFile[],
  pool: IngestPool,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<BuildReport | undefined> {
  const table = wholeTable(cache);
  if (table?.count !== files.length || files.some(({ id }, index) => table.id(index) !== id)) return undefined;
  const isSame = await pool.matches(files, table, signal, (done) => progress(done, files.length));
  return isSame ? { cache_version: table.cacheVersion(), document_count: table.count } : undefined;
}

/** The document table of a complete cache, laid out as by a build; the documents themselves are not read. */
function wholeTable(cache: string): DocumentTable | undefined {
  try {
    // Requires the exact layout of a build; `openCacheFolder` would accept any.
    if (!scanManifest(readManifestFile(cache).bytes)) return undefined;
    const { table, postings, cacheVersion } = openCacheFolder(cache);
    requireDocumentsFolder(cache);
    const search = SearchFile.find({ folder: cache, cacheVersion, documentCount: table.count });
    if (!search) return undefined;
    search.use((index) => index.requireWhole());
    const isWhole =
      postings !== undefined &&
      readdirSync(join(cache, DOCUMENTS_FOLDER)).length === table.count &&
      readPlainBytes(join(cache, INDEX_FILE))?.equals(Buffer.from(encodeIndex(table))) === true &&
      misnamed(table).next().done === true;
    return isWhole ? table : undefined;
  } catch (thrown) {
    if (thrown instanceof BinderyError || isAbsent(thrown)) return undefined;
    throw thrown;
  }
}
