/**
 * A buffer for one large incoming message. One released buffer is kept for the next message: many small pieces, or a new block each
 * time, would let a hostile server cause long garbage collections.
 */
let spare: Buffer | undefined;

/** A block of at least this size, not zeroed. Only pages that are written use memory. */
export function acquireLargeBuffer(bytes: number): Buffer {
  const room = spare;
  spare = undefined;
  return room !== undefined && room.length >= bytes ? room : Buffer.allocUnsafeSlow(bytes);
}

/** Releases a block; it must not be used afterwards. */
export function releaseLargeBuffer(room: Buffer): void {
  spare ??= room;
}
