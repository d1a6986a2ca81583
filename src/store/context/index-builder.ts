import { writeFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { sha256Hex } from '../../context/hash.ts';
import { failureOf } from './worker-failure.ts';

/** Collects runs of documents in any order and produces one file of the cache from all of them. */
export interface IndexBuilder<Run> {
  /** Takes ownership of the run. */
  add(run: Run, first: number, vocabulary: number): void;
  bytes(cacheVersion: string): Uint8Array;
}

/** A run of documents to add, or the path of the file to write. */
export type BuilderQuestion<Run> =
  | { readonly run: Run; readonly first: number; readonly vocabulary: number }
  | { readonly file: string; readonly cacheVersion: string };

export interface BuilderAnswer {
  readonly sha256: string;
}

/** Writes the file; returns its hash. */
export function writeIndex(builder: IndexBuilder<never>, file: string, cacheVersion: string): BuilderAnswer {
  const bytes = builder.bytes(cacheVersion);
  writeFileSync(file, bytes);
  return { sha256: sha256Hex(bytes) };
}

/** Runs a builder in this worker thread, driven by messages. */
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
