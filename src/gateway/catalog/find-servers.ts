import type { CatalogEntry } from './catalog-entry.ts';

/**
 * The entries that contain every word of the query, name matches first; without words: all, by name. If no entry has all words, those
 * with the most.
 */
export function findServers(entries: readonly CatalogEntry[], query: string): CatalogEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word));
  const counted = entries.map((entry) => {
    const ranks = words.flatMap((word) => rankOf(entry, word) ?? []);
    return { entry, hits: ranks.length, rank: ranks.reduce((sum, rank) => sum + rank, 0) };
  });
  const most = Math.max(0, ...counted.map(({ hits }) => hits));
  const ranked = counted.filter(({ hits }) => hits === most && (hits > 0 || words.length === 0));
  return ranked.toSorted((a, b) => b.rank - a.rank || (a.entry.name < b.entry.name ? -1 : 1)).map(({ entry }) => entry);
}

/** Words that say nothing about a server. */
const EMPTY_WORDS = new Set(['a', 'an', 'and', 'for', 'from', 'in', 'my', 'of', 'on', 'or', 'the', 'to', 'with']);

/** Synonyms that people type. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  automation: ['drives'],
  db: ['database'],
  note: ['memory'],
  notes: ['memory'],
  query: ['queries'],
  remember: ['memory'],
  save: ['memory'],
};

/** The best rank of a word, or of a synonym, in an entry; undefined: it does not occur. */
function rankOf(entry: CatalogEntry, word: string): number | undefined {
  const ranks = [word, ...(Object.hasOwn(ALSO, word) ? (ALSO[word] ?? []) : [])].flatMap(
    (one) => placeOf(entry, one) ?? [],
  );
  return ranks.length === 0 ? undefined : Math.max(...ranks);
}

function placeOf({ name, title, description, labels }: CatalogEntry, word: string): number | undefined {
  if (name.toLowerCase() === word) return 5;
  // A label says what a server is for; a word within its name may be accidental.
  if (labels.includes(word)) return 4;
  if (name.toLowerCase().includes(word) || title.toLowerCase().includes(word)) return 3;
  return description.toLowerCase().includes(stemOf(word)) ? 2 : undefined;
}

/** `notes` also finds `note`. */
function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/s$/, '') : word;
}
