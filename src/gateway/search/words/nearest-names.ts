import { editDistance } from '../../../contract/nearest-word.ts';
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
    const farthest = nearest.length < limit ? Number.MAX_SAFE_INTEGER : (nearest.at(-1)?.distance ?? 0);
    const distance = nameDistance(wanted, fold(name), farthest);
    if (distance > farthest) continue;
    nearest.push({ name, distance });
    nearest.sort((a, b) => a.distance - b.distance || byCodeUnits(a.name, b.name));
    if (nearest.length > limit) nearest.pop();
  }
  return nearest.map(({ name }) => name);
}

const NAME_CHARS_MAX = 128;
const SERVER_SEPARATOR = '__';

/**
 * Compares the whole names and, since the server's part is what a model forgets or mistakes, the tools' parts alone. Above `atMost` the
 * answer is some number above it.
 */
function nameDistance(wanted: string, name: string, atMost: number): number {
  const whole = 2 * editDistance(wanted, name, Math.floor(atMost / 2));
  const ofTool = 2 * editDistance(toolPart(wanted), toolPart(name), Math.floor((Math.min(atMost, whole) - 1) / 2)) + 1;
  return Math.min(whole, ofTool);
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
