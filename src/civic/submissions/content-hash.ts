import { hash } from 'node:crypto';
import type { Item } from './item-types.ts';

/** SHA-256 of what is submitted: the type and its own members, in one order, without common members [SU20]. */
export function contentHash(item: Item): string {
  return sha256(JSON.stringify(sorted(item)));
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same value with the members of every object in one order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) members[name] = sorted((value as Record<string, unknown>)[name]);
  return members;
}
