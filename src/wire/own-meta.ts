import { isObject, parseJson } from '../contract/json.ts';
import { asBuffer } from './json-scan.ts';
import { ambiguousMember } from './object-members.ts';

/** The beginning of the keys in `_meta` that belong to Bindery: clients read its errors there. */
export const OWN_META_PREFIX = 'bindery/';

/** What every spelling of such a key has: its plain letters, or an escaped one, which hardly any other text has. */
const SIGNS = [`"${OWN_META_PREFIX.slice(0, -1)}`, '\\u006', '\\u007'].map((text) => Buffer.from(text));

/** A server's message without keys of Bindery in any `_meta`; undefined if it has none, as nearly all messages. */
export function withoutOwnMeta(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = asBuffer(bytes);
  if (!SIGNS.some((sign) => buffer.includes(sign))) return undefined;
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
        if (!key.startsWith(OWN_META_PREFIX)) continue;
        delete (member as Record<string, unknown>)[key];
        isChanged = true;
      }
    }
    if (removeOwn(member)) isChanged = true;
  }
  return isChanged;
}
