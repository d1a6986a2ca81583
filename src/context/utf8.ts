const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const SURROGATE = /[\ud800-\udfff]/;

/** Compares two texts by their UTF-8 bytes; UTF-16 order differs between astral characters and U+E000–U+FFFF. */
export function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

/** The fastest comparison with the order of `compareUtf8` for these texts: without surrogates the built-in one. */
export function utf8OrderOf(texts: readonly string[]): (left: string, right: string) => number {
  if (haveSurrogates(texts)) return compareUtf8;
  return (left, right) => (left < right ? -1 : left > right ? 1 : 0);
}

/** These texts in the order of `compareUtf8`; without surrogates the built-in order is the same. */
export function sortedByUtf8(texts: readonly string[]): string[] {
  return haveSurrogates(texts) ? texts.toSorted(compareUtf8) : texts.toSorted();
}

function haveSurrogates(texts: readonly string[]): boolean {
  return texts.some((text) => SURROGATE.test(text));
}

/** Moves surrogates, which stand for the highest code points, above the rest of their plane. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Decodes strictly and keeps a byte order mark; undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}
