import type { Writable } from 'node:stream';
import type { BinderyError } from '../contract/errors.ts';
import { stillVisible, stillVisibleLine, visible, visibleJson, visibleLine } from '../contract/visible-text.ts';

export interface TerminalStreams {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/**
 * Where a command writes, and what it leaves behind: its exit code. Nothing that others wrote drives a terminal from here. What has
 * several lines of ours and values of theirs is written with `visible`, so that a value cannot pass for a line.
 */
export class Terminal {
  exitCode = 0;
  readonly signal: AbortSignal;
  /** Ends with the interrupt, and when the reader of the output closes its end: nothing is followed for nobody. */
  readonly whileRead: AbortSignal;
  readonly #readerGone = new AbortController();
  readonly #streams: TerminalStreams;
  #progressShown = false;

  constructor(streams: TerminalStreams, signal: AbortSignal) {
    this.#streams = streams;
    this.signal = signal;
    this.whileRead = AbortSignal.any([signal, this.#readerGone.signal]);
  }

  /** Text for a person. */
  out(text: string): Promise<void> {
    return this.#out(stillVisible(text));
  }

  /** Text that a program may read: the same bytes wherever they go, but for a terminal, where what is hidden in JSON is escaped. */
  document(text: string): Promise<void> {
    return this.#out(this.#streams.stdout.isTTY ? visibleJson(text) : text);
  }

  /** Resolves when the text has been handed to the stream, so that a pipe never loses the end of it. */
  async #out(text: string): Promise<void> {
    const error = await write(this.#streams.stdout, text);
    if (!error) return;
    // A reader that closed its end (`| head`) has what it wanted.
    if (error.code !== 'EPIPE') throw error;
    this.#readerGone.abort();
  }

  /** Where this cannot be said, there is nobody to say that to. */
  async note(text: string): Promise<void> {
    this.#clearProgress();
    await write(this.#streams.stderr, stillVisible(text));
  }

  /** One line about what is amiss and stops nothing. */
  warn(text: string): Promise<void> {
    return this.note(visible`warning: ${text}\n`);
  }

  /** The two lines of every failure, and its exit code. */
  async fail(error: BinderyError): Promise<void> {
    const detail = error.detail && error.detail !== error.row.title ? `: ${error.detail}` : '';
    const lines = [`error: ${error.row.title}${detail} (${error.code})`, `next: ${error.next}`];
    await this.note(lines.map((line) => `${stillVisibleLine(line)}\n`).join(''));
    this.exitCode = error.row.exit;
  }

  /** One line that is overwritten; only where a person watches. */
  progress(done: number, total?: number, message = ''): void {
    if (!this.#streams.stderr.isTTY) return;
    this.#progressShown = true;
    this.#streams.stderr.write(`\r\u001b[2K${visibleLine(message)} ${done}${total === undefined ? '' : `/${total}`}`);
  }

  #clearProgress(): void {
    if (this.#progressShown) this.#streams.stderr.write('\r\u001b[2K');
    this.#progressShown = false;
  }
}

function write(stream: Writable, text: string): Promise<NodeJS.ErrnoException | null | undefined> {
  return new Promise((resolve) => stream.write(text, resolve));
}
