import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTS_FOLDER } from '../../context/document-files.ts';
import { INDEX_FILE } from '../../context/index-file.ts';
import { decodeManifest, MANIFEST_FILE } from '../../context/manifest.ts';
import type { Inspection } from '../../context/reports.ts';
import { BinderyError } from '../../contract/errors.ts';
import { openCacheFolder, readManifestFile } from './open-cache.ts';
import { postingsProblems, searchIndexProblems } from './side-files.ts';

/**
 * Inspects a cache for the command: the size of its document files, whether each exists, and whether postings and search index match their
 * digests.
 */
export function inspectFolder(folder: string): Inspection {
  const cache = openCacheFolder(folder);
  const { cacheVersion, table } = cache;
  let bytes = 0;
  let isWhole = lstatSync(join(folder, DOCUMENTS_FOLDER), { throwIfNoEntry: false })?.isDirectory() === true;
  for (let index = 0; index < table.count; index++) {
    const size = plainSize(join(folder, table.file(index)));
    if (size === undefined) isWhole = false;
    else bytes += size;
  }
  return {
    cache_version: cacheVersion,
    document_count: table.count,
    total_bytes: bytes,
    valid: isWhole && postingsProblems(cache).length === 0 && searchIndexProblems(cache, folder).length === 0,
  };
}

const BROKEN: Inspection = { cache_version: '', document_count: 0, total_bytes: 0, valid: false };

/** Inspects a cache for a server: the size of manifest and index. A broken manifest is a result, not a failure. */
export function summarizeFolder(folder: string): Inspection {
  try {
    const { bytes } = readManifestFile(folder);
    const manifest = decodeManifest(bytes);
    if (!manifest) return BROKEN;
    return {
      cache_version: manifest.cacheVersion,
      document_count: manifest.table.count,
      total_bytes: (plainSize(join(folder, MANIFEST_FILE)) ?? 0) + (plainSize(join(folder, INDEX_FILE)) ?? 0),
      valid: true,
    };
  } catch (thrown) {
    if (thrown instanceof BinderyError && thrown.code === 'cache_invalid') return BROKEN;
    throw thrown;
  }
}

function plainSize(path: string): number | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : undefined;
}
