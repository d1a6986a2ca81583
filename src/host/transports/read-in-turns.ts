import type { OnReadOpts, Socket } from 'node:net';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';

/** An answer of 64 KiB and its head are one read. */
const READ_BYTES = 128 * 1024;
/** What one socket may take of a turn of the event loop before the others have theirs. */
const FULL_READS_MAX = 2;
const TURN_MS = 2;

/** Every socket reads into this one: what is read is used up before the next one reads. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);
const noisyBuffer = readBuffer.subarray(0, LIMITS.noisyPieceBytes);

/** How a sender is held back that sends more than it should; all of it is asked after each piece. */
export interface HoldingBack {
  /** How long nothing is read after a piece of this size; meanwhile the sender waits. */
  readonly restMs?: ((bytes: number) => number) | undefined;
  /** Whether what it sends costs so much work that a piece is to be small: the others have their turn after each. */
  readonly isNoisy?: (() => boolean) | undefined;
}

/**
 * How a socket reads without a buffer of its own for each piece, and without holding the loop up however fast the other side
 * sends. What `push` gets is valid during the call only.
 */
export function readInTurns(
  socket: () => Socket,
  push: (chunk: Buffer) => void,
  { restMs, isNoisy }: HoldingBack = {},
): OnReadOpts {
  let fullReads = 0;
  let since = 0;
  let room: Buffer = readBuffer;
  let isReading = false;
  const goOn = () => {
    if (!socket().isPaused()) socket().resume();
  };
  const nextRoom = (): Buffer | undefined => {
    const next = isNoisy?.() ? noisyBuffer : readBuffer;
    // A new connection must get a buffer; a later read keeps the previous one if it gets none.
    const isSame = next === room && isReading;
    isReading = false;
    room = next;
    return isSame ? undefined : next;
  };
  return {
    buffer: nextRoom as () => Buffer,
    callback: (bytes) => {
      isReading = true;
      if (bytes === READ_BYTES && fullReads === 0) since = performance.now();
      push(readBuffer.subarray(0, bytes));
      const rest = restMs?.(bytes) ?? 0;
      if (rest > 0) {
        fullReads = 0;
        setTimeout(goOn, rest);
        return false;
      }
      if (bytes < READ_BYTES) {
        fullReads = 0;
        return true;
      }
      fullReads += 1;
      if (fullReads < FULL_READS_MAX && performance.now() - since < TURN_MS) return true;
      fullReads = 0;
      setImmediate(goOn);
      return false;
    },
  };
}
