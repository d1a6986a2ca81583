import type { OnReadOpts, Socket } from 'node:net';

/** An answer of 64 KiB and its head are one read. */
const READ_BYTES = 128 * 1024;
/** What one socket may take of a turn of the event loop before the others have theirs. */
const FULL_READS_MAX = 2;
const TURN_MS = 2;

/** Every socket reads into this one: what is read is used up before the next one reads. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * How a socket reads without a buffer of its own for each piece, and without holding the loop up however fast the other side
 * sends. What `push` gets is valid during the call only; `restMs` says how long nothing is read after it, and meanwhile the sender
 * waits.
 */
export function readInTurns(
  socket: () => Socket,
  push: (chunk: Buffer) => void,
  restMs: (bytes: number) => number = () => 0,
): OnReadOpts {
  let fullReads = 0;
  let since = 0;
  const goOn = () => {
    if (!socket().isPaused()) socket().resume();
  };
  return {
    buffer: readBuffer,
    callback: (bytes) => {
      if (bytes === READ_BYTES && fullReads === 0) since = performance.now();
      push(readBuffer.subarray(0, bytes));
      const rest = restMs(bytes);
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
