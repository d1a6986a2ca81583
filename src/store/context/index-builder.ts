import { writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { sha256Hex } from '../../context/hash.ts';
import { failureOf } from './worker-failure.ts';

/** Gathers runs of documents in any order and gives the file of the cache that is made of all. */
export interface IndexBuilder<Run> {
  /** The run is the builder's from then on. */
  add(run: Run, first: number, vocabulary: number): void;
  bytes(cacheVersion: string): Uint8Array;
}

/** A run of documents to add, or where to write the file of all. */
export type BuilderQuestion<Run> =
  | { readonly run: Run; readonly first: number; readonly vocabulary: number }
  | { readonly file: string; readonly cacheVersion: string };

export interface BuilderAnswer {
  readonly sha256: string;
}

/** Writes the file; its hash. */
export function writeIndex(builder: IndexBuilder<never>, file: string, cacheVersion: string): BuilderAnswer {
  const bytes = builder.bytes(cacheVersion);
  writeFileSync(file, bytes);
  return { sha256: sha256Hex(bytes) };
}

/** Builds in this thread what the one that started it tells and asks. */
export function serveBuilder<Run>(builder: IndexBuilder<Run>): void {
  parentPort?.on('message', (question: BuilderQuestion<Run>) => {
    if ('run' in question) builder.add(question.run, question.first, question.vocabulary);
    else parentPort?.postMessage(answer(question.file, question.cacheVersion));
  });
  const answer = (file: string, cacheVersion: string) => {
    try {
      return writeIndex(builder, file, cacheVersion);
    } catch (thrown) {
      return { failure: failureOf(thrown) };
    }
  };
}
