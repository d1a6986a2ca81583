const SURROGATES_FROM = 0xd800;

/** UTF-8 byte order. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // Below the surrogates the order of units is the order of bytes.
    if (left < SURROGATES_FROM && right < SURROGATES_FROM) return left - right;
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a.length - b.length;
}
