import { parseJson } from '../contract/json.ts';
import { documentFile } from './document-files.ts';
import { BUILD_CONFIG, type DocumentEntry, type DocumentTable, tableOf } from './document-table.ts';
import { isVersion } from './hash.ts';
import { hasDuplicateKeys } from './json-keys.ts';
import { type Manifest, scanManifest } from './manifest-scan.ts';
import { POSTINGS_FILE } from './postings.ts';
import { isTimestamp } from './timestamp.ts';
import { compareUtf8, decodeUtf8 } from './utf8.ts';

export const MANIFEST_FILE = 'manifest.json';

/** The bytes of the manifest, as text; entries are in id order. */
export function encodeManifest(
  table: DocumentTable,
  createdAt: string,
  postingsSha256: string | undefined,
  documents: string = encodeEntries(table),
): string {
  const postings =
    postingsSha256 === undefined
      ? ''
      : `,\n  "postings": {\n    "file": "${POSTINGS_FILE}",\n    "sha256": "${postingsSha256}"\n  }`;
  return `{
  "cache_version": "${table.cacheVersion()}",
  "build_config": {
    "version": "${BUILD_CONFIG.version}",
    "hash_algorithm": "${BUILD_CONFIG.hash_algorithm}"
  },
  "created_at": "${createdAt}",
  "document_count": ${table.count},
  "documents": ${documents}${postings}
}`;
}

/** The documents of a manifest, which are most of its bytes. */
export function encodeEntries(table: DocumentTable): string {
  const entries: string[] = [];
  for (let index = 0; index < table.count; index++) {
    const { id, version, file } = table.entry(index);
    entries.push(
      `    {\n      "id": ${JSON.stringify(id)},\n      "version": "${version}",\n      "file": "${file}"\n    }`,
    );
  }
  return entries.length === 0 ? '[]' : `[\n${entries.join(',\n')}\n  ]`;
}

/**
 * Reads a manifest and recomputes its cache_version; undefined for one that is not valid. The layout that builders
 * write is read byte by byte, which is several times faster than `JSON.parse`; any other layout is parsed.
 */
export function decodeManifest(bytes: Uint8Array): Manifest | undefined {
  const manifest = scanManifest(bytes) ?? parseManifest(bytes);
  return manifest && manifest.table.cacheVersion() === manifest.cacheVersion ? manifest : undefined;
}

/** Reads a manifest of any layout; unknown keys are allowed, missing and repeated ones are not. */
export function parseManifest(bytes: Uint8Array): Manifest | undefined {
  const text = decodeUtf8(bytes);
  const value = text === undefined ? undefined : parseObject(text);
  if (text === undefined || !value || hasDuplicateKeys(text)) return undefined;
  const { cache_version, build_config, created_at, document_count, documents, postings } = value;
  if (!isVersion(cache_version) || !isKnownConfig(build_config) || !isTimestamp(created_at)) return undefined;
  if (!Array.isArray(documents) || document_count !== documents.length) return undefined;
  const table = tableOfListed(documents);
  const postingsSha256 = postings === undefined ? undefined : sha256OfPostings(postings);
  if (!table || postingsSha256 === null) return undefined;
  return { cacheVersion: cache_version, table, postingsSha256 };
}

function tableOfListed(documents: readonly unknown[]): DocumentTable | undefined {
  const entries: DocumentEntry[] = [];
  for (const listed of documents) {
    const entry = entryOf(listed);
    if (!entry) return undefined;
    entries.push(entry);
  }
  entries.sort((left, right) => compareUtf8(left.id, right.id));
  const isUnique = entries.every((entry, index) => index === 0 || entries[index - 1]?.id !== entry.id);
  return isUnique ? tableOf(entries) : undefined;
}

/** Reads an entry; its file must follow from its id and version, so that no entry can point elsewhere. */
function entryOf(listed: unknown): DocumentEntry | undefined {
  if (typeof listed !== 'object' || listed === null) return undefined;
  const { id, version, file } = listed as Record<string, unknown>;
  if (typeof id !== 'string' || id === '' || !id.isWellFormed() || !isVersion(version)) return undefined;
  if (file === documentFile(id, version, false)) return { id, version, isRepeated: false };
  if (file === documentFile(id, version, true)) return { id, version, isRepeated: true };
  return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function isKnownConfig(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { version, hash_algorithm } = value as Record<string, unknown>;
  return version === BUILD_CONFIG.version && hash_algorithm === BUILD_CONFIG.hash_algorithm;
}

/** Null for an unknown kind of reference. */
function sha256OfPostings(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { file, sha256 } = value as Record<string, unknown>;
  return file === POSTINGS_FILE && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : null;
}
