import { isObject, parseJson } from '../contract/json.ts';
import { asBuffer } from './json-scan.ts';
import { ambiguousMember } from './object-members.ts';

/** Keys in `_meta` that begin with this and a slash belong to Bindery: clients read its errors there. */
export const OWN_META_SPACE = 'bindery';
const OWN_META_PREFIX = `${OWN_META_SPACE}/`;

/** A server's message without keys of Bindery in any `_meta`; undefined if it has none. */
export function withoutOwnMeta(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = asBuffer(bytes);
  const message = parseJson(buffer.toString('utf8'));
  if (message === undefined) return undefined;
  // A duplicate member can hide another: the text that is parsed here is then written again, too.
  const isChanged = removeOwn(message);
  if (!isChanged && ambiguousMember(bytes, { start: 0, end: bytes.length }) === undefined) return undefined;
  return Buffer.from(JSON.stringify(message));
}

/** Removes the keys, and tells whether there were any. Data of a tool has members of its own choice. */
function removeOwn(value: unknown): boolean {
  if (Array.isArray(value)) return value.map(removeOwn).includes(true);
  if (!isObject(value)) return false;
  let isChanged = false;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'structuredContent') continue;
    if (name === '_meta' && isObject(member)) {
      for (const key of Object.keys(member)) {
        if (!key.toLowerCase().startsWith(OWN_META_PREFIX)) continue;
        delete (member as Record<string, unknown>)[key];
        isChanged = true;
      }
    }
    if (removeOwn(member)) isChanged = true;
  }
  return isChanged;
}
