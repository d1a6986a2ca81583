import { BinderyError } from '../../contract/errors.ts';
import type { Page } from '../../contract/paging.ts';

/** One page of a list that is sorted by time: the cursor is the offset after the previous page. */
export async function offsetPage<T extends object>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  read: (limit: number, offset: number) => readonly T[] | Promise<readonly T[]>,
): Promise<Page<T & Record<string, unknown>>> {
  const offset = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new BinderyError('INVALID_ARGUMENTS', { detail: '/cursor: is none of ours' });
  const rows = await read(limit + 1, offset);
  const items = rows.slice(0, limit).map((row) => ({ ...row }) as T & Record<string, unknown>);
  return { items, next_cursor: rows.length > limit ? String(offset + limit) : null };
}
