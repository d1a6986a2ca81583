const SURROGATES_FROM = 0xd800;

/** Compares in UTF-8 byte order. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // Below the surrogates, code unit order equals byte order.
    if (left < SURROGATES_FROM && right < SURROGATES_FROM) return left - right;
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a.length - b.length;
}
