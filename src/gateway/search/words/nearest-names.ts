import { editDistance, nearestWord } from '../../../contract/nearest-word.ts';
import { SEARCH_LIMITS } from '../limits.ts';
import { byCodeUnits } from '../ranking/tool-index.ts';

/**
 * Finds the names closest to one that does not exist. Any agent can ask for any name, so a lookup compares only a few names in full: those
 * that share the most letter pairs with the unknown one. With few names it compares all of them.
 */
export class NearestNames {
  readonly #names: readonly FoldedName[];

  constructor(names: Iterable<string>) {
    this.#names = Array.from(names, (name) => {
      const whole = fold(name);
      return { name, whole, part: toolPart(whole) };
    });
  }

  /** The closest names, closest first, ties by name. */
  find(unknown: string, limit: number = SEARCH_LIMITS.nearestNamesMax): string[] {
    const wanted = fold(unknown);
    const nearest: { name: string; distance: number }[] = [];
    for (const { name, whole } of this.#candidates(wanted)) {
      const farthest = nearest.length < limit ? Number.MAX_SAFE_INTEGER : (nearest.at(-1)?.distance ?? 0);
      const distance = nameDistance(wanted, whole, farthest);
      if (distance > farthest) continue;
      nearest.push({ name, distance });
      nearest.sort((a, b) => a.distance - b.distance || byCodeUnits(a.name, b.name));
      if (nearest.length > limit) nearest.pop();
    }
    return nearest.map(({ name }) => name);
  }

  /**
   * The one tool that was most likely meant; undefined if none is close. It compares only the tools' own names: names of one server are
   * alike in the rest, so a read could be taken for a delete.
   */
  tool(unknown: string): string | undefined {
    const candidates = this.#candidates(fold(unknown)).map(({ name }) => name);
    const byTool = Map.groupBy(candidates, toolPart);
    const having = byTool.get(nearestWord(toolPart(unknown), byTool.keys()) ?? '') ?? [];
    return nearestWord(unknown, having) ?? having[0];
  }

  #candidates(wanted: string): readonly FoldedName[] {
    const names = this.#names;
    if (names.length <= SEARCH_LIMITS.comparedNamesMax) return names;
    const [inWhole, inPart] = [pairsOf(wanted), pairsOf(toolPart(wanted))];
    const partLength = toolPart(wanted).length;
    // One number holds the distance and the position, so that one sort of numbers finds the closest.
    const ranked = Float64Array.from(names, ({ whole, part }, at) => {
      const ofWhole = 2 * unshared(inWhole, wanted.length, whole);
      const ofPart = 2 * unshared(inPart, partLength, part) + 1;
      return Math.min(ofWhole, ofPart) * names.length + at;
    }).sort();
    return Array.from(
      ranked.subarray(0, SEARCH_LIMITS.comparedNamesMax),
      (rank) => names[rank % names.length] as FoldedName,
    );
  }
}

interface FoldedName {
  readonly name: string;
  readonly whole: string;
  readonly part: string;
}

const PAIRS = 1_024;

/** Which pairs of neighbouring letters a text has; some pairs share a place. */
function pairsOf(text: string): Uint8Array {
  const has = new Uint8Array(PAIRS);
  for (let at = 1; at < text.length; at += 1) has[pairAt(text, at)] = 1;
  return has;
}

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at - 1) * 31 + text.charCodeAt(at)) % PAIRS;
}

/** A cheap stand-in for the edit distance: the length of the longer text without the pairs that both have. */
function unshared(pairs: Uint8Array, length: number, text: string): number {
  let shared = 0;
  for (let at = 1; at < text.length; at += 1) shared += pairs[pairAt(text, at)] as number;
  return Math.max(length, text.length) - shared;
}

const NAME_CHARS_MAX = 128;
const SERVER_SEPARATOR = '__';

/**
 * Compares the whole names and, since a model most often mistakes the server's part, the tools' parts alone. Above `atMost` the answer is
 * some number above it.
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
