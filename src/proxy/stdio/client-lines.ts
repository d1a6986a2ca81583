import type { Readable, Writable } from 'node:stream';
import { LongLineId } from '../../contract/long-line-id.ts';
import { LineSplitter, type OversizedLine } from '../../wire/line-splitter.ts';
import { oneLine } from '../../wire/one-line.ts';
import { PROXY_LIMITS } from '../limits.ts';

/** The streams of one stdio client. */
export interface ClientStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface LineReceiver {
  receive(line: Uint8Array): void;
  /** A line was too long and was dropped; `id` is its request id, if its first or last bytes show it. */
  refuseLine(id: string | number | null): void;
}

/** Reads a client's input line by line. Resolves when the input ends or is closed on our side. */
export async function readClientLines(input: Readable, receiver: LineReceiver): Promise<void> {
  const splitter = new LineSplitter({
    lineBytesMax: PROXY_LIMITS.bodyBytesMax,
    onLine: (line) => receiver.receive(line),
    onOversized: (line) => receiver.refuseLine(idOfEnds(line)),
    onEndless: () => input.destroy(),
    endlessBytes: PROXY_LIMITS.endlessLineBytes,
  });
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) splitter.push(chunk);
  } catch (thrown) {
    // Our side closed the input.
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw thrown;
  }
}

/** Matches an `id` that is the last member of the line's object. */
const LAST_ID = /,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*\}\s*$/;

/** Clients write the id of a request before or after its parameters. */
function idOfEnds({ head, tail }: OversizedLine): string | number | null {
  const scan = new LongLineId();
  scan.push(head);
  if (scan.id !== null) return scan.id;
  const [, value] = LAST_ID.exec(tail.toString('utf8')) ?? [];
  if (value === undefined) return null;
  try {
    return JSON.parse(value) as string | number;
  } catch {
    // Not valid JSON, so no id.
    return null;
  }
}

const NEWLINE = Buffer.from('\n');

/** Writes messages to a stdio client, one per line. If too many bytes are unread, closes the client's input and stops writing. */
export class LineOutput {
  readonly #output: Writable;
  readonly #input: Readable;
  #isLeft = false;

  constructor({ output, input }: ClientStreams) {
    this.#output = output;
    this.#input = input;
  }

  write(message: Uint8Array): void {
    if (this.#isLeft) return;
    // The message itself does not count: a single message may have any size.
    if (this.#output.writableLength > PROXY_LIMITS.stdioUnsentBytesMax) {
      this.#isLeft = true;
      this.#input.destroy();
      this.#output.destroy();
      return;
    }
    this.#output.write(Buffer.concat([oneLine(message), NEWLINE]));
  }
}
