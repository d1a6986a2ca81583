import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { MANIFEST_FILE } from '../../context/manifest.ts';
import type { CacheList } from '../../context/reports.ts';
import { compareUtf8 } from '../../context/utf8.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isAbsent, toFileError } from './file-errors.ts';
import { isBuildFolder } from './swap-folder.ts';

/** How a face names caches: by path, or by name below a root. */
export interface CacheLocator {
  /** The folder of this cache. Throws `cache_missing` if there is none. */
  locate(cache: string): string;
  list(): CacheList;
}

/** For commands: a cache is any folder. */
export function cachesByPath(): CacheLocator {
  return {
    locate: (cache) => requireFolder(cache),
    list: () => ({ caches: [] }),
  };
}

/** For servers: a cache is a folder below the root; no name can escape it. */
export function cachesUnderRoot(root: string): CacheLocator {
  return {
    locate: (cache) => {
      if (cache.includes('..') || /^[/\\]/.test(cache)) throw new BinderyError('cache_missing');
      const realRoot = requireFolder(root);
      const folder = requireFolder(join(realRoot, cache));
      if (folder !== realRoot && !folder.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep)) {
        throw new BinderyError('cache_missing');
      }
      return folder;
    },
    list: () => ({ caches: listFolders(requireFolder(root)) }),
  };
}

function listFolders(root: string): CacheList['caches'] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !isBuildFolder(entry.name))
      .map((entry) => ({ path: entry.name, has_manifest: hasManifest(join(root, entry.name)) }))
      .sort((left, right) => compareUtf8(left.path, right.path));
  } catch (thrown) {
    throw toFileError(thrown);
  }
}

function hasManifest(folder: string): boolean {
  try {
    return lstatSync(join(folder, MANIFEST_FILE)).isFile();
  } catch {
    // An unreadable folder shows no manifest; the list goes on.
    return false;
  }
}

/** The real path of an existing folder. */
function requireFolder(path: string): string {
  try {
    const folder = realpathSync.native(path);
    if (statSync(folder).isDirectory()) return folder;
  } catch (thrown) {
    if (!isAbsent(thrown)) throw toFileError(thrown);
  }
  throw new BinderyError('cache_missing');
}
