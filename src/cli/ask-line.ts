import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { BinderyError } from '../contract/errors.ts';

export interface AskedOn {
  readonly input: Readable;
  readonly output: Writable;
  /** Cancels the question. */
  readonly signal?: AbortSignal;
  /** The message for a person who presses Ctrl-C. */
  readonly whenLeft?: string;
  /** The answer if the input ends; empty unless told. */
  readonly whenEnded?: string;
}

/** Asks a person for one line. Throws `CANCELLED` if they press Ctrl-C. */
export async function askLine(
  question: string,
  { input, output, signal, whenLeft, whenEnded = '' }: AskedOn,
): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve(whenEnded)));
  const said = lines.question(question, signal ? { signal } : {}).catch((thrown: Error) => {
    if (thrown.name !== 'AbortError' || signal?.aborted) throw thrown;
    output.write('\n');
    throw new BinderyError('CANCELLED', { detail: whenLeft ?? 'Nothing was changed' });
  });
  try {
    // Ctrl-C rejects only after the input has ended, so give the rejection a chance.
    return await Promise.race([said, ended.then((nothing) => Promise.race([said, pause(nothing)]))]);
  } finally {
    lines.close();
  }
}

/** Lets a simultaneous rejection settle first. */
function pause<T>(value: T): Promise<T> {
  return new Promise((resolve) => setImmediate(() => resolve(value)));
}
