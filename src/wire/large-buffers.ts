/**
 * Room for one large message while it comes. The last one that was given back is kept for the next: many pieces, or a new block
 * each time, make the collector stop everything for what a single hostile server sends.
 */
let spare: Buffer | undefined;

/** A block of at least this size, whatever it holds. Only what is written to it costs memory. */
export function acquireLargeBuffer(bytes: number): Buffer {
  const room = spare;
  spare = undefined;
  return room !== undefined && room.length >= bytes ? room : Buffer.allocUnsafeSlow(bytes);
}

/** Nothing refers to the block any more. */
export function releaseLargeBuffer(room: Buffer): void {
  spare ??= room;
}
