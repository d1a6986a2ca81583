import type { CatalogEntry } from './catalog-entry.ts';

/** The entries that have every word of the query, those with it in their name first; without words: all, by name. */
export function findServers(entries: readonly CatalogEntry[], query: string): CatalogEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = entries.flatMap((entry) => {
    const ranks = words.map((word) => rankOf(entry, word));
    return ranks.includes(undefined)
      ? []
      : [{ entry, rank: ranks.reduce<number>((sum, rank) => sum + (rank ?? 0), 0) }];
  });
  return ranked.toSorted((a, b) => b.rank - a.rank || (a.entry.name < b.entry.name ? -1 : 1)).map(({ entry }) => entry);
}

/** Where a word stands in an entry; undefined: nowhere. */
function rankOf({ name, title, description, labels }: CatalogEntry, word: string): number | undefined {
  if (name.toLowerCase() === word) return 5;
  // A label says what a server is for; a word within its name may mean anything.
  if (labels.includes(word)) return 4;
  if (name.toLowerCase().includes(word) || title.toLowerCase().includes(word)) return 3;
  return description.toLowerCase().includes(word) ? 2 : undefined;
}
