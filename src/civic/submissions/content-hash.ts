import { hash } from 'node:crypto';
import type { Item } from './item-types.ts';

/** SHA-256 of an item: its type and own members in canonical order, without the common members [SU20]. */
export function contentHash(item: Item): string {
  return sha256(JSON.stringify(sorted(item)));
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same value with sorted object members. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) members[name] = sorted((value as Record<string, unknown>)[name]);
  return members;
}
