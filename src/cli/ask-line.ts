import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { BinderyError } from '../contract/errors.ts';

export interface AskedOn {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the question. */
  readonly signal?: AbortSignal;
  /** What is said to a person who leaves with Ctrl-C. */
  readonly whenLeft?: string;
}

/** Asks a person for one line; empty where the input ends. Throws `CANCELLED` where they press Ctrl-C. */
export async function askLine(question: string, { input, output, signal, whenLeft }: AskedOn): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const said = lines.question(question, signal ? { signal } : {}).catch((thrown: Error) => {
    if (thrown.name !== 'AbortError' || signal?.aborted) throw thrown;
    output.write('\n');
    throw new BinderyError('CANCELLED', { detail: whenLeft ?? 'Nothing was changed' });
  });
  try {
    // A question that is left rejects after the input has ended.
    return await Promise.race([said, ended.then((nothing) => Promise.race([said, pause(nothing)]))]);
  } finally {
    lines.close();
  }
}

/** Lets what was rejected at the same time come first. */
function pause<T>(value: T): Promise<T> {
  return new Promise((resolve) => setImmediate(() => resolve(value)));
}
