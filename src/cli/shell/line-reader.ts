import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface LineReaderOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** A person sits there: prompts, editing, completion. */
  readonly terminal: boolean;
  complete(line: string): [string[], string];
  onInterrupt(): void;
}

/** Lines as they are asked for; what was typed ahead is kept, the end of input is undefined. */
export class LineReader {
  readonly #interface: Interface;
  readonly #terminal: boolean;
  readonly #lines: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;
  #ended = false;

  constructor({ input, output, terminal, complete, onInterrupt }: LineReaderOptions) {
    this.#terminal = terminal;
    this.#interface = createInterface({ input, ...(terminal ? { output } : {}), terminal, completer: complete });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('close', () => {
      this.#ended = true;
      this.#waiting?.(undefined);
    });
    this.#interface.on('SIGINT', onInterrupt);
  }

  /** Rejects when the signal aborts. */
  next(prompt: string, signal?: AbortSignal): Promise<string | undefined> {
    signal?.throwIfAborted();
    const ahead = this.#lines.shift();
    if (ahead !== undefined) return Promise.resolve(ahead);
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting = undefined;
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting = (line) => {
        signal?.removeEventListener('abort', abort);
        this.#waiting = undefined;
        resolve(line);
      };
      this.#interface.setPrompt(prompt);
      if (this.#terminal) this.#interface.prompt();
    });
  }

  /** Forgets the half-written line. */
  clearLine(): void {
    if (this.#terminal) this.#interface.write(null, { ctrl: true, name: 'u' });
  }

  close(): void {
    this.#interface.close();
  }

  #take(line: string): void {
    if (this.#waiting) this.#waiting(line);
    else this.#lines.push(line);
  }
}
