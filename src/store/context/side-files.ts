import { join } from 'node:path';
import { IS_LITTLE_ENDIAN, POSTINGS_FILE } from '../../context/postings.ts';
import { SEARCH_FILE } from '../../context/search/index-layout.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { CacheFolder } from './open-cache.ts';
import { identityAt } from './read-file.ts';
import { SearchFile } from './search-file.ts';

/** Problems of a cache's postings, by their digest. */
export function postingsProblems(cache: CacheFolder): string[] {
  if (cache.isPostingsMissing) return [missing(POSTINGS_FILE)];
  return damage(POSTINGS_FILE, () => cache.postings);
}

/** Problems of a cache's search index, by its digests. */
export function searchIndexProblems(cache: CacheFolder, folder: string): string[] {
  if (isSearchIndexMissing(cache, folder)) return [missing(SEARCH_FILE)];
  const { cacheVersion, table } = cache;
  return damage(SEARCH_FILE, () =>
    SearchFile.find({ folder, cacheVersion, documentCount: table.count })?.use((index) => index.requireWhole()),
  );
}

/** Every build that writes postings writes a search index too. */
export function isSearchIndexMissing({ postingsSha256 }: CacheFolder, folder: string): boolean {
  return IS_LITTLE_ENDIAN && postingsSha256 !== undefined && identityAt(join(folder, SEARCH_FILE)) === '';
}

export function missing(file: string): string {
  return `${file}: it is missing`;
}

function damage(file: string, open: () => unknown): string[] {
  try {
    open();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof BinderyError) || thrown.code !== 'cache_invalid') throw thrown;
    return [`${file}: ${thrown.message}`];
  }
}
