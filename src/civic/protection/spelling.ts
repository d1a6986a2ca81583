/** Whether two word lists differ only in typing errors. */
export function isSpellingFix(old: readonly string[], next: readonly string[]): boolean {
  return old === next || (old.length === next.length && old.every((word, at) => isNearWord(word, next[at] as string)));
}

/** Minimum word length to tolerate one error, and two. */
const ONE_ERROR_CHARS_MIN = 4;
const TWO_ERRORS_CHARS_MIN = 9;

function isNearWord(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  // Numbers must match, and so must the first letter: `never` and `ever` mean the opposite.
  if (shorter < ONE_ERROR_CHARS_MIN || a[0] !== b[0] || /\d/.test(a + b)) return false;
  return errorsBetween(a, b) <= (shorter < TWO_ERRORS_CHARS_MIN ? 1 : 2);
}

/** Edit distance: missing, extra, different or swapped letters. */
function errorsBetween(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
        swapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
}
