/** A place at which two values differ, and the first different character if both are texts. */
export interface Difference {
  readonly path: string;
  readonly from?: number;
}

const DIFFERENCES_MAX = 100;

/** The places at which two values differ, as JSON pointers. For a member that only one value has, the member itself. */
export function differences(one: unknown, other: unknown): Difference[] {
  const found: Difference[] = [];
  const compare = (a: unknown, b: unknown, path: string): void => {
    if (found.length >= DIFFERENCES_MAX || a === b) return;
    if (!isBranch(a) || !isBranch(b) || Array.isArray(a) !== Array.isArray(b)) {
      found.push(
        typeof a === 'string' && typeof b === 'string'
          ? { path: path || '/', from: partAt(a, b) }
          : { path: path || '/' },
      );
      return;
    }
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (Object.hasOwn(a, name) && Object.hasOwn(b, name)) compare(a[name], b[name], place);
      else if (found.length < DIFFERENCES_MAX) found.push({ path: place });
    }
  };
  compare(one, other, '');
  return found;
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The number of the first character that differs, counted from one. */
function partAt(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at + 1;
}
