import type { OnReadOpts, Socket } from 'node:net';

const READ_BYTES = 64 * 1024;
/** What one socket may take of a turn of the event loop before the others have theirs. */
const FULL_READS_MAX = 4;
const TURN_MS = 2;
/** What one socket may take of the loop's time for long, and what it may take before that counts. */
const SHARE = 0.2;
const BURST_MS = 5;
/** The rest after each piece of what nobody wants: it is read at no more than 16 MB a second. */
const UNWANTED_REST_MS = 4;

/** Every socket reads into this one: what is read is used up before the next one reads. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * How a socket reads without a buffer of its own for each piece, and without holding the loop up however fast the other side
 * sends: one that keeps the loop busy is read again after a rest, and meanwhile its sender waits. What `push` gets is valid during
 * the call only; `isUnwanted` says that what comes now is dropped.
 */
export function readInTurns(
  socket: () => Socket,
  push: (chunk: Buffer) => void,
  isUnwanted: () => boolean = () => false,
): OnReadOpts {
  let fullReads = 0;
  let since = 0;
  /** Time that it took beyond its share, and when that was. */
  let owedMs = 0;
  let owedAt = 0;
  const goOn = () => {
    if (!socket().isPaused()) socket().resume();
  };
  const restAfter = (began: number, now: number): number => {
    owedMs = Math.max(0, owedMs - (began - owedAt) * SHARE) + now - began;
    owedAt = now;
    return (owedMs - BURST_MS) / SHARE;
  };
  return {
    buffer: readBuffer,
    callback: (bytes) => {
      // Only who fills the buffer can hold others up, and the clock is not asked for the rest of them.
      const isFull = bytes === READ_BYTES;
      const began = isFull ? performance.now() : 0;
      push(readBuffer.subarray(0, bytes));
      if (isUnwanted()) {
        setTimeout(goOn, UNWANTED_REST_MS);
        return false;
      }
      if (!isFull) {
        fullReads = 0;
        return true;
      }
      const now = performance.now();
      const restMs = restAfter(began, now);
      if (fullReads === 0) since = began;
      fullReads += 1;
      if (restMs <= 0 && fullReads < FULL_READS_MAX && now - since < TURN_MS) return true;
      fullReads = 0;
      if (restMs > 0) setTimeout(goOn, Math.ceil(restMs));
      else setImmediate(goOn);
      return false;
    },
  };
}
