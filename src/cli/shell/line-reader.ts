import { createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface LineReaderOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** A person is at the terminal: prompts, editing, completion. */
  readonly terminal: boolean;
  complete(line: string): [string[], string];
  onInterrupt(): void;
  /** Handles a line before the current reader; true if it did. */
  intercept?(line: string): boolean;
}

export interface NextOptions {
  readonly signal?: AbortSignal | undefined;
  /** Lines that answer this question; other lines go to the previous question. Default: all lines. */
  readonly accepts?: ((line: string) => boolean) | undefined;
}

interface Waiter {
  readonly prompt: string;
  accepts(line: string): boolean;
  resolve(line: string | undefined): void;
}

const ERASE_BELOW = '\x1b[J';

/** Reads lines on demand. Lines typed ahead are kept; undefined at the end of input. */
export class LineReader {
  readonly #interface: Interface;
  readonly #output: Writable;
  readonly #terminal: boolean;
  readonly #intercept: (line: string) => boolean;
  readonly #lines: string[] = [];
  /** Last in, first out: a question may come up while the prompt is shown. */
  readonly #waiters: Waiter[] = [];
  #ended = false;

  constructor({ input, output, terminal, complete, onInterrupt, intercept }: LineReaderOptions) {
    this.#output = output;
    this.#terminal = terminal;
    this.#intercept = intercept ?? (() => false);
    this.#interface = createInterface({ input, ...(terminal ? { output } : {}), terminal, completer: complete });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('close', () => {
      this.#ended = true;
      for (const waiter of this.#waiters.splice(0)) waiter.resolve(undefined);
    });
    this.#interface.on('SIGINT', onInterrupt);
  }

  /** The number of pending reads. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /** The unfinished line. */
  get halfLine(): string {
    return this.#interface.line;
  }

  /** The next line. Rejects when the signal aborts. */
  next(prompt: string, { signal, accepts = () => true }: NextOptions = {}): Promise<string | undefined> {
    signal?.throwIfAborted();
    const ahead = this.#lines.findIndex(accepts);
    if (ahead >= 0) return Promise.resolve(this.#lines.splice(ahead, 1)[0]);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#remove(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        prompt,
        accepts,
        resolve: (line) => {
          signal?.removeEventListener('abort', abort);
          this.#remove(waiter);
          resolve(line);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiters.push(waiter);
      this.#showPrompt();
    });
  }

  /** Writes above the prompt and the unfinished line. */
  print(text: string): void {
    const isPrompting = this.#terminal && !this.#ended && (this.#waiters.length > 0 || this.halfLine !== '');
    if (!isPrompting) {
      this.#output.write(text);
      return;
    }
    moveCursor(this.#output, 0, -this.#interface.getCursorPos().rows);
    cursorTo(this.#output, 0);
    this.#output.write(`${ERASE_BELOW}${text}`);
    this.#interface.prompt(true);
  }

  clearLine(): void {
    if (this.#terminal) this.#interface.write(null, { ctrl: true, name: 'u' });
  }

  close(): void {
    this.#interface.close();
  }

  #take(line: string): void {
    if (this.#intercept(line)) {
      this.#showPrompt();
      return;
    }
    const waiter = this.#waiters.findLast(({ accepts }) => accepts(line));
    if (waiter) waiter.resolve(line);
    else this.#lines.push(line);
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index >= 0) this.#waiters.splice(index, 1);
    this.#showPrompt();
  }

  #showPrompt(): void {
    if (!this.#terminal || this.#ended) return;
    const waiter = this.#waiters.at(-1);
    this.#interface.setPrompt(waiter?.prompt ?? '');
    if (waiter) this.#interface.prompt(true);
  }
}
