import { randomFillSync } from 'node:crypto';

const ID_BYTES = 6;
const drawn = Buffer.alloc(ID_BYTES * 1_024);
let used = drawn.length;

/**
 * An id of a request of ours, 48 random bits as a number. Nobody can answer a request before it was sent, and several processes on one
 * session do not use the same ids. Random bytes are drawn many at a time: each draw is a system call.
 */
export function randomId(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const id = drawn.readUIntBE(used, ID_BYTES);
  used += ID_BYTES;
  return id;
}
