import { SEARCH_LIMITS } from '../limits.ts';
import { byCodeUnits } from '../ranking/tool-index.ts';

/** The names that come closest to one that does not exist, closest first, ties by name. */
export function nearestNames(
  unknown: string,
  names: Iterable<string>,
  limit: number = SEARCH_LIMITS.nearestNamesMax,
): string[] {
  const wanted = fold(unknown);
  const nearest: { name: string; distance: number }[] = [];
  for (const name of names) {
    nearest.push({ name, distance: nameDistance(wanted, fold(name)) });
    nearest.sort((a, b) => a.distance - b.distance || byCodeUnits(a.name, b.name));
    if (nearest.length > limit) nearest.pop();
  }
  return nearest.map(({ name }) => name);
}

const NAME_CHARS_MAX = 128;
const SERVER_SEPARATOR = '__';

/** Compares the whole names and, since the server's part is what a model forgets or mistakes, the tools' parts alone. */
function nameDistance(wanted: string, name: string): number {
  return Math.min(2 * editDistance(wanted, name), 2 * editDistance(toolPart(wanted), toolPart(name)) + 1);
}

function toolPart(name: string): string {
  const at = name.indexOf(SERVER_SEPARATOR);
  return at < 0 ? name : name.slice(at + SERVER_SEPARATOR.length);
}

function fold(name: string): string {
  return name
    .slice(0, NAME_CHARS_MAX)
    .toLowerCase()
    .replace(/[-.\s]/g, '_');
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
export function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  const rows = [new Uint16Array(width), new Uint16Array(width), new Uint16Array(width)];
  for (let j = 0; j < width; j += 1) (rows[0] as Uint16Array)[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    const current = rows[i % 3] as Uint16Array;
    const above = rows[(i - 1) % 3] as Uint16Array;
    const higher = rows[(i + 1) % 3] as Uint16Array;
    current[0] = i;
    for (let j = 1; j < width; j += 1) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      let best = Math.min((above[j - 1] as number) + same, (above[j] as number) + 1, (current[j - 1] as number) + 1);
      const swapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) best = Math.min(best, (higher[j - 2] as number) + 1);
      current[j] = best;
    }
  }
  return (rows[a.length % 3] as Uint16Array)[b.length] as number;
}
