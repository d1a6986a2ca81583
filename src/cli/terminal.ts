import type { Writable } from 'node:stream';
import type { BinderyError } from '../contract/errors.ts';

export interface TerminalStreams {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Where a command writes, and what it leaves behind: its exit code. */
export class Terminal {
  exitCode = 0;
  readonly signal: AbortSignal;
  readonly #streams: TerminalStreams;
  #progressShown = false;

  constructor(streams: TerminalStreams, signal: AbortSignal) {
    this.#streams = streams;
    this.signal = signal;
  }

  /** Resolves when the text has been handed to the stream, so that a pipe never loses the end of it. */
  out(text: string): Promise<void> {
    return write(this.#streams.stdout, text);
  }

  async note(text: string): Promise<void> {
    this.#clearProgress();
    await write(this.#streams.stderr, text);
  }

  /** The two lines of every failure, and its exit code. */
  async fail(error: BinderyError): Promise<void> {
    const detail = error.detail && error.detail !== error.row.title ? `: ${error.detail}` : '';
    await this.note(`error: ${error.row.title}${detail} (${error.code})\nnext: ${error.next}\n`);
    this.exitCode = error.row.exit;
  }

  /** One line that is overwritten; only where a person watches. */
  progress(done: number, total?: number, message = ''): void {
    if (!this.#streams.stderr.isTTY) return;
    this.#progressShown = true;
    this.#streams.stderr.write(`\r\u001b[2K${message} ${done}${total === undefined ? '' : `/${total}`}`);
  }

  #clearProgress(): void {
    if (this.#progressShown) this.#streams.stderr.write('\r\u001b[2K');
    this.#progressShown = false;
  }
}

function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // A reader that closed its end (`| head`) has what it wanted.
    stream.write(text, (error) =>
      error && (error as NodeJS.ErrnoException).code !== 'EPIPE' ? reject(error) : resolve(),
    );
  });
}
