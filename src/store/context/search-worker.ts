import { writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { sha256Hex } from '../../context/hash.ts';
import { SearchBuilder } from './search-builder.ts';
import type { SearchRun } from './search-counter.ts';
import { failureOf, type WorkerFailure } from './worker-failure.ts';

/** A run of documents to add, or where to write the index of all. */
export type SearchQuestion =
  | { readonly run: SearchRun; readonly first: number; readonly vocabulary: number }
  | { readonly file: string; readonly cacheVersion: string };

export interface SearchAnswer {
  readonly sha256: string;
}

const { documentCount } = workerData as { documentCount: number };
const builder = new SearchBuilder();

parentPort?.on('message', (question: SearchQuestion) => {
  if ('run' in question) builder.add(question.run, question.first, question.vocabulary);
  else parentPort?.postMessage(write(question.file, question.cacheVersion));
});

function write(file: string, cacheVersion: string): SearchAnswer | { readonly failure: WorkerFailure } {
  try {
    const bytes = builder.build(cacheVersion, documentCount);
    writeFileSync(file, bytes);
    return { sha256: sha256Hex(bytes) };
  } catch (thrown) {
    return { failure: failureOf(thrown) };
  }
}
