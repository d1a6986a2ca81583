import type { Readable, Writable } from 'node:stream';
import { oneLine } from '../../wire/one-line.ts';
import { PROXY_LIMITS } from '../limits.ts';

const NEWLINE = Buffer.from('\n');

/**
 * Writes messages to a stdio client, one a line. A client that does not read them is left: its input is closed when too much waits, and
 * nothing more is written.
 */
export class LineOutput {
  readonly #output: Writable;
  readonly #input: Readable;
  #isLeft = false;

  constructor(output: Writable, input: Readable) {
    this.#output = output;
    this.#input = input;
  }

  write(message: Uint8Array): void {
    if (this.#isLeft) return;
    // Judged without the message itself: one message is never too much.
    if (this.#output.writableLength > PROXY_LIMITS.stdioUnsentBytesMax) {
      this.#isLeft = true;
      this.#input.destroy();
      this.#output.destroy();
      return;
    }
    this.#output.write(Buffer.concat([oneLine(message), NEWLINE]));
  }
}
