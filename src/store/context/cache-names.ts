import { DOCUMENTS_FOLDER } from '../../context/document-files.ts';
import { INDEX_FILE } from '../../context/index-file.ts';
import { MANIFEST_FILE } from '../../context/manifest.ts';
import { POSTINGS_FILE } from '../../context/postings.ts';
import { SEARCH_FILE } from '../../context/search/index-layout.ts';

const CACHE_NAMES = new Set([MANIFEST_FILE, INDEX_FILE, POSTINGS_FILE, SEARCH_FILE, DOCUMENTS_FOLDER]);

/** Whether a name does not belong to the top level of a cache. */
export function isUnexpectedName(name: string): boolean {
  return !CACHE_NAMES.has(name);
}
