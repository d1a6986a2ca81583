import { editDistance, nearestWord } from '../../../contract/nearest-word.ts';
import { SEARCH_LIMITS } from '../limits.ts';
import { byCodeUnits } from '../ranking/tool-index.ts';

/**
 * The names that come closest to one that does not exist, closest first, ties by name. An agent can ask this for any name, so that of many
 * names only those are compared whose letters, in any order, differ least.
 */
export function nearestNames(
  unknown: string,
  names: Iterable<string>,
  limit: number = SEARCH_LIMITS.nearestNamesMax,
): string[] {
  const wanted = fold(unknown);
  const nearest: { name: string; distance: number }[] = [];
  for (const name of likelyNames(wanted, [...names])) {
    const farthest = nearest.length < limit ? Number.MAX_SAFE_INTEGER : (nearest.at(-1)?.distance ?? 0);
    const distance = nameDistance(wanted, fold(name), farthest);
    if (distance > farthest) continue;
    nearest.push({ name, distance });
    nearest.sort((a, b) => a.distance - b.distance || byCodeUnits(a.name, b.name));
    if (nearest.length > limit) nearest.pop();
  }
  return nearest.map(({ name }) => name);
}

/**
 * The one tool that was most likely meant; undefined where none is close. Only the tools' own names are compared: names of one server are
 * alike in the rest, so that a read could be taken for a delete.
 */
export function nearestTool(unknown: string, names: Iterable<string>): string | undefined {
  const byTool = Map.groupBy(names, toolPart);
  const having = byTool.get(nearestWord(toolPart(unknown), byTool.keys()) ?? '') ?? [];
  return nearestWord(unknown, having) ?? having[0];
}

function likelyNames(wanted: string, names: readonly string[]): readonly string[] {
  if (names.length <= SEARCH_LIMITS.comparedNamesMax) return names;
  const [ofWhole, ofTool] = [letterCounts(wanted), letterCounts(toolPart(wanted))];
  const least = (name: string) =>
    Math.min(2 * letterDifference(ofWhole, name), 2 * letterDifference(ofTool, toolPart(name)) + 1);
  return names
    .map((name) => ({ name, distance: least(fold(name)) }))
    .sort((a, b) => a.distance - b.distance || byCodeUnits(a.name, b.name))
    .slice(0, SEARCH_LIMITS.comparedNamesMax)
    .map(({ name }) => name);
}

const LETTERS = 128;

/** How often each letter occurs; letters beyond ASCII share places. */
function letterCounts(text: string): Uint8Array {
  const counts = new Uint8Array(LETTERS);
  for (let at = 0; at < text.length; at += 1) (counts[text.charCodeAt(at) % LETTERS] as number) += 1;
  return counts;
}

/** No edit distance is less than the number of letters that one text has and the other lacks. */
function letterDifference(counts: Uint8Array, text: string): number {
  const others = letterCounts(text);
  let [missing, added] = [0, 0];
  for (let letter = 0; letter < LETTERS; letter += 1) {
    const difference = (counts[letter] as number) - (others[letter] as number);
    if (difference > 0) missing += difference;
    else added -= difference;
  }
  return Math.max(missing, added);
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
