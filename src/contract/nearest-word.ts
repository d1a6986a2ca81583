/**
 * The known word that a person most likely meant; undefined where none is close. A third of the letters may differ, so that short
 * words are not taken for each other.
 */
export function nearestWord(typed: string, known: Iterable<string>): string | undefined {
  const wanted = typed.slice(0, WORD_CHARS_MAX).toLowerCase();
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of known) {
    const candidate = word.slice(0, WORD_CHARS_MAX).toLowerCase();
    const distanceMax = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    // So many letters are missing at least: most of many words need no comparison.
    if (Math.abs(wanted.length - candidate.length) > distanceMax) continue;
    const distance = editDistance(wanted, candidate);
    const isClose = distance <= distanceMax;
    if (isClose && (best === undefined || distance < best.distance)) best = { word, distance };
  }
  return best?.word;
}

/** ` Did you mean "x"?`, or nothing: for the end of a sentence that says what to do next. */
export function didYouMean(typed: string, known: Iterable<string>): string {
  const nearest = nearestWord(typed, known);
  return nearest === undefined ? '' : `Did you mean ${nearest}?`;
}

const WORD_CHARS_MAX = 128;

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
