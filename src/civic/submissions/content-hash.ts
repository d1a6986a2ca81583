import { hash } from 'node:crypto';
import type { Item } from './item-types.ts';

/** SHA-256 of what is submitted: the type and its own members, in one order, without common members [SU20]. */
export function contentHash(item: Item): string {
  return sha256(stableJson(item));
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${stableJson(member)}`);
  return `{${members.join(',')}}`;
}
