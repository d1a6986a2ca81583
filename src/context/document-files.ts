import { hexOfVersion, sha256Hex } from './hash.ts';

export const DOCUMENTS_FOLDER = 'documents';

/**
 * File of a document, relative to its cache. The first document in id order with these 12 digits has the plain name;
 * each later one has the hash of its id in its name.
 */
export function documentFile(id: string, version: string, isRepeated: boolean): string {
  const prefix = hexOfVersion(version).slice(0, 12);
  return `${DOCUMENTS_FOLDER}/${prefix}${isRepeated ? `-${sha256Hex(id).slice(0, 8)}` : ''}.json`;
}
