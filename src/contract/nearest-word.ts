/**
 * The known word that a person most likely meant; undefined if none is close. A third of the letters may differ, so that short
 * words do not match each other.
 */
export function nearestWord(typed: string, known: Iterable<string>): string | undefined {
  const wanted = typed.slice(0, WORD_CHARS_MAX).toLowerCase();
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of known) {
    const candidate = word.slice(0, WORD_CHARS_MAX).toLowerCase();
    const farthest = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    const atMost = best === undefined ? farthest : Math.min(farthest, best.distance - 1);
    const distance = editDistance(wanted, candidate, atMost);
    if (distance <= atMost) best = { word, distance };
  }
  return best?.word;
}

/** ` Did you mean "x"?`, or nothing: for the end of a sentence that says what to do next. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const nearest = nearestWord(typed, known);
  return nearest === undefined ? '' : `Did you mean ${nearest}?`;
}

const WORD_CHARS_MAX = 128;

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. Above `atMost` it stops early and returns
 * some larger number.
 */
export function editDistance(left: string, right: string, atMost: number = Number.MAX_SAFE_INTEGER): number {
  const [a, b] = withoutCommonEnds(left, right);
  const limit = Math.min(atMost, Math.max(a.length, b.length));
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  const width = b.length + 2;
  const rows = [new Uint16Array(width), new Uint16Array(width), new Uint16Array(width)];
  for (let j = 0; j < width; j += 1) (rows[0] as Uint16Array)[j] = j;
  let leastAbove = 0;
  for (let i = 1; i <= a.length; i += 1) {
    const current = rows[i % 3] as Uint16Array;
    const above = rows[(i - 1) % 3] as Uint16Array;
    const higher = rows[(i + 1) % 3] as Uint16Array;
    // A path within the limit stays near the diagonal. The cells beside the band count as too far.
    const first = Math.max(1, i - limit);
    const last = Math.min(b.length, i + limit);
    current[first - 1] = first === 1 ? i : limit + 1;
    current[last + 1] = limit + 1;
    let least = current[first - 1] as number;
    for (let j = first; j <= last; j += 1) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      let best = Math.min((above[j - 1] as number) + same, (above[j] as number) + 1, (current[j - 1] as number) + 1);
      const swapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) best = Math.min(best, (higher[j - 2] as number) + 1);
      current[j] = best;
      least = Math.min(least, best);
    }
    // A swap spans two rows, so one row above the limit is not enough to stop.
    if (least > limit && leastAbove > limit) return limit + 1;
    leastAbove = least;
  }
  return (rows[a.length % 3] as Uint16Array)[b.length] as number;
}

function withoutCommonEnds(left: string, right: string): readonly [string, string] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left.charCodeAt(start) === right.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && left.charCodeAt(left.length - 1 - end) === right.charCodeAt(right.length - 1 - end))
    end += 1;
  return [left.slice(start, left.length - end), right.slice(start, right.length - end)];
}
