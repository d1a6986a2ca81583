import { WIRE_LIMITS } from './limits.ts';

/** Free buffers by size class: each size is twice the one before. */
const kept: ArrayBuffer[][] = [];
const pooled = new WeakSet<ArrayBufferLike>();

/**
 * Acquires a buffer for one large message. Memory of this size lies outside of the garbage collector's heap, and each new block makes it
 * scan everything: with large answers that was the dearest part of a call. Release the buffer once nobody reads the message any more;
 * a buffer that is not released is collected like everything else. `room` bytes are left free before the message.
 */
export function acquireBuffer(length: number, room = 0): Buffer {
  if (length < WIRE_LIMITS.lentBytesMin || length + room > WIRE_LIMITS.lentBytesMax) return Buffer.allocUnsafe(length);
  const size = sizeOf(length + room);
  const memory = kept[size]?.pop() ?? Buffer.allocUnsafeSlow(WIRE_LIMITS.lentBytesMin << size).buffer;
  pooled.add(memory);
  return Buffer.from(memory, room, length);
}

/** Nobody reads these bytes any more: their memory is pooled again. Bytes that were not pooled are left alone. */
export function releaseBuffer(bytes: Uint8Array): void {
  if (!isPooled(bytes) || !pooled.delete(bytes.buffer)) return;
  const size = sizeOf(bytes.buffer.byteLength);
  kept[size] ??= [];
  if (kept[size].length < WIRE_LIMITS.lentKeptBytesMax / bytes.buffer.byteLength)
    kept[size].push(bytes.buffer as ArrayBuffer);
}

/** Whether bytes stand in memory that can be given back. */
export function isPooled(bytes: Uint8Array): boolean {
  return bytes.length >= WIRE_LIMITS.lentBytesMin / 2 && pooled.has(bytes.buffer);
}

function sizeOf(length: number): number {
  return 32 - Math.clz32((length - 1) / WIRE_LIMITS.lentBytesMin);
}
