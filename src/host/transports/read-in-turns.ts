import type { OnReadOpts, Socket } from 'node:net';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';

/** Holds an answer of 64 KiB with its head, so that it takes one read. */
const READ_BYTES = 128 * 1024;
/** How much one socket may read in a turn of the event loop before others get theirs. */
const FULL_READS_MAX = 2;
const TURN_MS = 2;

/** Shared by all sockets: each read is consumed before the next one. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);
const noisyBuffer = readBuffer.subarray(0, LIMITS.noisyPieceBytes);

/** Throttles a sender; both functions are called after each read. */
export interface ReadThrottle {
  /** How long to stop reading after a chunk of this size; meanwhile the sender waits. */
  readonly restMs?: ((bytes: number) => number) | undefined;
  /** Whether to read in small pieces, because the sender's messages are expensive: other sockets get a turn after each. */
  readonly isNoisy?: (() => boolean) | undefined;
}

/**
 * `onread` options for a socket that uses the shared buffer, and that does not block the event loop however fast the peer sends. The
 * chunk that `push` gets is valid only during the call.
 */
export function readInTurns(
  socket: () => Socket,
  push: (chunk: Buffer) => void,
  { restMs, isNoisy }: ReadThrottle = {},
): OnReadOpts {
  let fullReads = 0;
  let since = 0;
  let room: Buffer = readBuffer;
  let isReading = false;
  const resume = () => {
    if (!socket().isPaused()) socket().resume();
  };
  const nextRoom = (): Buffer | undefined => {
    const next = isNoisy?.() ? noisyBuffer : readBuffer;
    // A new connection needs a buffer; a later read without a new buffer keeps the previous one.
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
        setTimeout(resume, rest);
        return false;
      }
      if (bytes < READ_BYTES) {
        fullReads = 0;
        return true;
      }
      fullReads += 1;
      if (fullReads < FULL_READS_MAX && performance.now() - since < TURN_MS) return true;
      fullReads = 0;
      setImmediate(resume);
      return false;
    },
  };
}
