/** Cache-Control of every public read. */
export const PUBLIC_CACHE = 'public, max-age=60, s-maxage=60';
export const PRIVATE_CACHE = 'private, no-store';
export const NO_CACHE = 'no-store';

interface Prepared {
  text?: string;
  etag?: string;
}

/** Cached texts and entity tags of answers. An answer is immutable once it is here. */
const prepared = new WeakMap<object, Prepared>();

/** Stores the entity tag of an answer; its text is encoded on first use. */
export function tagged<T extends object>(answer: T, tag: string): T {
  prepared.set(answer, { ...prepared.get(answer), etag: `"${tag}"` });
  return answer;
}

/** Tags an answer by a hash of its bytes. */
export async function taggedByContent<T extends object>(answer: T, text = encodeAnswer(answer)): Promise<T> {
  if (prepared.get(answer)?.etag !== undefined) return answer;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return tagged(answer, hex(digest));
}

/** The JSON of an answer, encoded once. */
export function encodeAnswer(answer: object): string {
  const known = prepared.get(answer);
  if (known?.text !== undefined) return known.text;
  const text = JSON.stringify(answer);
  if (known) known.text = text;
  return text;
}

/** The entity tag of an answer; undefined if it has none, like forms [K13]. */
export function etagOf(answer: object): string | undefined {
  return prepared.get(answer)?.etag;
}

/** Options shared by all public JSON reads. */
export const publicJson = {
  encode: encodeAnswer,
  http: { etag: etagOf, meta: () => PUBLIC_META, crossOrigin: true },
  mcp: { meta: () => PUBLIC_MCP_META },
} as const;

/** Every public document links to where agents read and submit. */
const ENDPOINT_LINK = '</civic/mcp>; rel="service"; title="MCP"';
export const PUBLIC_META = { headers: { 'cache-control': PUBLIC_CACHE, link: ENDPOINT_LINK } } as const;
export const PUBLIC_MCP_META = { 'bindery/cache_control': PUBLIC_CACHE } as const;

export function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
