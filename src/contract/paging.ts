import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { stillVisibleLine } from './visible-text.ts';

/** The members of a list's input that page it. */
export const pageInput = {
  limit: z.number().int().min(1).max(LIMITS.pageItemsMax).default(LIMITS.pageItemsDefault).describe('items at most'),
  cursor: z.string().optional().describe('cursor of the previous page'),
};

export interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
}

/** One page of a list, in byte order of its keys; the cursor is the last key of the page before. */
export function pageOf<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<T> {
  const after = cursor === undefined ? undefined : Buffer.from(cursor);
  const rest = all
    .map((item) => ({ item, key: Buffer.from(keyOf(item)) }))
    .filter(({ key }) => after === undefined || Buffer.compare(key, after) > 0)
    .sort((one, other) => Buffer.compare(one.key, other.key));
  const items = rest.slice(0, limit).map(({ item }) => item);
  const last = items.at(-1);
  return { items, next_cursor: rest.length > limit && last !== undefined ? keyOf(last) : null };
}

/** The schema of a page's output. */
export function pageSchema<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

/**
 * Tab-separated columns, one line each; characters that could break a line or a terminal are escaped. A last cell of several lines, which
 * needs `manyLines`, continues below itself, in rows whose other cells are empty.
 */
export function tabLines(rows: readonly (readonly unknown[])[]): string {
  return rows
    .flatMap((row) => {
      const [first = '', ...more] = String(row.at(-1) ?? '').split('\n');
      const before = row.slice(0, -1);
      return [
        [...before, first],
        ...more.filter((line) => line.trim() !== '').map((line) => [...before.map(() => ''), line]),
      ];
    })
    .map((row) => `${row.map(cell).join('\t')}\n`)
    .join('');
}

function cell(value: unknown): string {
  return stillVisibleLine(String(value ?? ''));
}
