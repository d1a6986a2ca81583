import type { Readable } from 'node:stream';
import { LineSplitter } from '../wire/line-splitter.ts';
import { PROXY_LIMITS } from './limits.ts';

export interface LineReceiver {
  receive(line: Uint8Array): void;
  /** A line was too long, and is dropped. */
  refuseLine(): void;
}

/** Hands on what a client writes, line by line; resolves when its input ends, or is closed on our side. */
export async function readClientLines(input: Readable, receiver: LineReceiver): Promise<void> {
  const splitter = new LineSplitter({
    lineBytesMax: PROXY_LIMITS.bodyBytesMax,
    onLine: (line) => receiver.receive(line),
    onOversized: () => receiver.refuseLine(),
    onEndless: () => input.destroy(),
    endlessBytes: PROXY_LIMITS.endlessLineBytes,
  });
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) splitter.push(chunk);
  } catch (thrown) {
    // Whoever closes the input wants no more of it.
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw thrown;
  }
}
