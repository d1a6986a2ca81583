import { WIRE_LIMITS } from './limits.ts';

/** Free buffers by size class; each size is twice the previous one. */
const kept: ArrayBuffer[][] = [];
const pooled = new WeakSet<ArrayBufferLike>();

/**
 * Acquires a buffer for one large message. Such buffers are outside the garbage collector's heap, and each new one makes it scan the
 * whole heap, which was the most expensive part of calls with large answers. Release the buffer after the last read of the message; a
 * buffer that is not released is garbage collected. `room` bytes before the message stay free.
 */
export function acquireBuffer(length: number, room = 0): Buffer {
  if (length < WIRE_LIMITS.pooledBytesMin || length + room > WIRE_LIMITS.pooledBytesMax)
    return Buffer.allocUnsafe(length);
  const size = sizeOf(length + room);
  const memory = kept[size]?.pop() ?? Buffer.allocUnsafeSlow(WIRE_LIMITS.pooledBytesMin << size).buffer;
  pooled.add(memory);
  return Buffer.from(memory, room, length);
}

/** Returns a buffer to the pool; its bytes must not be read afterwards. Ignores bytes that are not pooled. */
export function releaseBuffer(bytes: Uint8Array): void {
  if (!isPooled(bytes) || !pooled.delete(bytes.buffer)) return;
  const size = sizeOf(bytes.buffer.byteLength);
  kept[size] ??= [];
  if (kept[size].length < WIRE_LIMITS.pooledKeptBytesMax / bytes.buffer.byteLength)
    kept[size].push(bytes.buffer as ArrayBuffer);
}

/** Whether the bytes are in a pooled buffer. */
export function isPooled(bytes: Uint8Array): boolean {
  return bytes.length >= WIRE_LIMITS.pooledBytesMin / 2 && pooled.has(bytes.buffer);
}

function sizeOf(length: number): number {
  return 32 - Math.clz32((length - 1) / WIRE_LIMITS.pooledBytesMin);
}
