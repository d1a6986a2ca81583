import { writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { sha256Hex } from '../../context/hash.ts';
import { encodePostings } from '../../context/postings.ts';
import { PostingsBuilder } from './postings-builder.ts';
import type { CountedRun } from './term-counter.ts';
import { failureOf, type WorkerFailure } from './worker-failure.ts';

/** A run of documents to add, or where to write the postings of all. */
export type PostingsQuestion =
  | { readonly run: CountedRun; readonly first: number; readonly vocabulary: number }
  | { readonly file: string; readonly cacheVersion: string };

export interface PostingsAnswer {
  readonly sha256: string;
}

const builder = new PostingsBuilder((workerData as { documentCount: number }).documentCount);

parentPort?.on('message', (question: PostingsQuestion) => {
  if ('run' in question) builder.add(question.run, question.first, question.vocabulary);
  else parentPort?.postMessage(write(question.file, question.cacheVersion));
});

function write(file: string, cacheVersion: string): PostingsAnswer | { readonly failure: WorkerFailure } {
  try {
    const bytes = encodePostings(builder.build(cacheVersion));
    writeFileSync(file, bytes);
    return { sha256: sha256Hex(bytes) };
  } catch (thrown) {
    return { failure: failureOf(thrown) };
  }
}
