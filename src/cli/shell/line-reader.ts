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

interface Waiter {
  readonly prompt: string;
  resolve(line: string | undefined): void;
}

/** Lines as they are asked for; what was typed ahead is kept, the end of input is undefined. */
export class LineReader {
  readonly #interface: Interface;
  readonly #terminal: boolean;
  readonly #lines: string[] = [];
  /** Who asked last is answered first: a question may come up while the prompt stands. */
  readonly #waiters: Waiter[] = [];
  #ended = false;

  constructor({ input, output, terminal, complete, onInterrupt }: LineReaderOptions) {
    this.#terminal = terminal;
    this.#interface = createInterface({ input, ...(terminal ? { output } : {}), terminal, completer: complete });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.on('close', () => {
      this.#ended = true;
      for (const waiter of this.#waiters.splice(0)) waiter.resolve(undefined);
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
        this.#remove(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        prompt,
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

  /** Forgets the half-written line. */
  clearLine(): void {
    if (this.#terminal) this.#interface.write(null, { ctrl: true, name: 'u' });
  }

  close(): void {
    this.#interface.close();
  }

  #take(line: string): void {
    const waiter = this.#waiters.at(-1);
    if (waiter) waiter.resolve(line);
    else this.#lines.push(line);
  }

  #remove(waiter: Waiter): void {
    const index = this.#waiters.indexOf(waiter);
    if (index >= 0) this.#waiters.splice(index, 1);
    this.#showPrompt();
  }

  #showPrompt(): void {
    const waiter = this.#waiters.at(-1);
    if (!this.#terminal || this.#ended || !waiter) return;
    this.#interface.setPrompt(waiter.prompt);
    this.#interface.prompt();
  }
}
