/** The maximum size and depth of a JSON value. */
export interface JsonExtent {
  /** Bytes of its compact JSON text. */
  readonly bytesMax: number;
  /** Nested objects and arrays. */
  readonly depthMax: number;
}

/** Whether a parsed JSON value stays within an extent. The cost is bounded by the extent, not by the value, without recursion. */
export function isWithinExtent(value: unknown, { bytesMax, depthMax }: JsonExtent): boolean {
  let bytesLeft = bytesMax;
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (typeof next.value !== 'object' || next.value === null) {
      bytesLeft -= scalarBytes(next.value, bytesLeft);
    } else {
      const depth = next.depth + 1;
      if (depth > depthMax) return false;
      const isList = Array.isArray(next.value);
      // Two brackets; then for each member its name, its colon and, except for the first, a comma.
      bytesLeft -= 2;
      let count = 0;
      for (const name in next.value) {
        if (count > 0) bytesLeft -= 1;
        count += 1;
        if (!isList) bytesLeft -= 1 + scalarBytes(name, bytesLeft);
        if (bytesLeft < 0) return false;
        waiting.push({ value: (next.value as Record<string, unknown>)[name], depth });
        // Each waiting value takes at least one byte.
        if (waiting.length > bytesLeft) return false;
      }
    }
    if (bytesLeft < 0) return false;
  }
  return true;
}

function scalarBytes(value: unknown, bytesLeft: number): number {
  // A string takes at least one byte per character, plus its quotes.
  if (typeof value === 'string' && value.length + 2 > bytesLeft) return bytesLeft + 1;
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}
