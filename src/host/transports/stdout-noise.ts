import { visibleLine } from '../../contract/visible-text.ts';
import { FloodMeter } from '../connection/exchange/flood-meter.ts';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { StderrTail } from './stderr-tail.ts';

/** Lines on a server's stdout that are no messages: greetings and logs, or what it printed in place of an answer. */
export class StdoutNoise {
  /** The first line, and the last one since the last message. */
  first: string | undefined;
  last: string | undefined;
  readonly #lines = new StderrTail(LIMITS.noiseBytesMax);
  readonly #meter = new FloodMeter(LIMITS.unaskedMessagesMax, LIMITS.unaskedWindowMs);

  /** Takes a line; true if there are too many. */
  isFlooding(line: Buffer): boolean {
    const text = visibleLine(line.toString('utf8', 0, LIMITS.noiseLineTextMax));
    this.first ??= text;
    this.last = text;
    this.#lines.push(Buffer.from(`(stdout, not MCP) ${text}\n`));
    return this.#meter.isFlooded();
  }

  /** The end of what a server wrote to stderr, with the last of these lines. */
  after(stderr: string): string {
    const lines = this.#lines.text();
    return lines === '' || stderr === '' || stderr.endsWith('\n') ? `${stderr}${lines}` : `${stderr}\n${lines}`;
  }
}
