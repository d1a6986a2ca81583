import { WIRE_LIMITS } from './limits.ts';

/** What whoever borrows bytes for a message may leave free before them, so that its head can grow where it stands. */
export const HEAD_ROOM_BYTES = 64;

/** Memory that nobody uses now, by size: each size is twice the one before. */
const kept: ArrayBuffer[][] = [];
const lent = new WeakSet<ArrayBufferLike>();

/**
 * Bytes for one large message. Memory of this size is not the garbage collector's own, and each time it hears that there is
 * more of it, it looks at everything there is: with large answers that was the dearest part of a call. Who knows that nobody
 * reads the message any more gives it back; what is not given back is garbage like everything else.
 */
export function lendBytes(length: number): Buffer {
  if (length < WIRE_LIMITS.lentBytesMin || length > WIRE_LIMITS.lentBytesMax) return Buffer.allocUnsafe(length);
  const size = sizeOf(length);
  const memory = kept[size]?.pop() ?? Buffer.allocUnsafeSlow(WIRE_LIMITS.lentBytesMin << size).buffer;
  lent.add(memory);
  return Buffer.from(memory, 0, length);
}

/** Nobody reads these bytes any more: their memory is lent again. Bytes that were not lent are left alone. */
export function giveBack(bytes: Uint8Array): void {
  if (!isLent(bytes) || !lent.delete(bytes.buffer)) return;
  const size = sizeOf(bytes.buffer.byteLength);
  kept[size] ??= [];
  if (kept[size].length < WIRE_LIMITS.lentKeptBytesMax / bytes.buffer.byteLength)
    kept[size].push(bytes.buffer as ArrayBuffer);
}

/** Whether bytes stand in memory that can be given back. */
export function isLent(bytes: Uint8Array): boolean {
  return bytes.length >= WIRE_LIMITS.lentBytesMin / 2 && lent.has(bytes.buffer);
}

function sizeOf(length: number): number {
  return 32 - Math.clz32((length - 1) / WIRE_LIMITS.lentBytesMin);
}
