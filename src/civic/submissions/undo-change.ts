import { diffArrays } from 'diff';

/** A run of lines that differs between two texts. */
interface LineChange {
  /** Lines `from` to `to` (exclusive) of the first text … */
  readonly from: number;
  readonly to: number;
  /** … are these lines in the second. */
  readonly lines: readonly string[];
}

/**
 * Takes the change from `before` to `after` out of a text that has changed since. Undefined if a later change touches the same lines, so
 * that the result would be a guess.
 */
export function undoChange(before: string, after: string, current: string): string | undefined {
  const [old, changed, now] = [before, after, current].map((text) => text.split('\n')) as [
    string[],
    string[],
    string[],
  ];
  const undo = lineChanges(changed, old);
  const later = lineChanges(changed, now);
  if (undo.some((one) => later.some((other) => overlap(one, other)))) return undefined;
  const result: string[] = [];
  let at = 0;
  for (const { from, to, lines } of [...undo, ...later].sort((a, b) => a.from - b.from || a.to - b.to)) {
    result.push(...changed.slice(at, from), ...lines);
    at = to;
  }
  return [...result, ...changed.slice(at)].join('\n');
}

/** Two insertions at the same place overlap: their order would be a guess. */
function overlap(a: LineChange, b: LineChange): boolean {
  const [isEmptyA, isEmptyB] = [a.from === a.to, b.from === b.to];
  if (isEmptyA && isEmptyB) return a.from === b.from;
  if (isEmptyA || isEmptyB) return (a.from < b.from && b.to < a.to) || (b.from < a.from && a.to < b.to);
  return a.from < b.to && b.from < a.to;
}

function lineChanges(from: readonly string[], to: readonly string[]): LineChange[] {
  const changes: LineChange[] = [];
  let at = 0;
  let open: { from: number; to: number; lines: string[] } | undefined;
  const close = (): void => {
    if (open) changes.push(open);
    open = undefined;
  };
  for (const { value, added, removed } of diffArrays([...from], [...to])) {
    if (!added && !removed) {
      close();
      at += value.length;
      continue;
    }
    open ??= { from: at, to: at, lines: [] };
    if (added) open.lines.push(...value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  close();
  return changes;
}
