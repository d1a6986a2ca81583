// Builds the search index of a cache without one from its documents, in memory: reading never changes a cache.
import { parentPort } from 'node:worker_threads';
import { openCacheFolder, readDocument } from './open-cache.ts';
import { SearchBuilder } from './search-builder.ts';
import { SearchCounter } from './search-counter.ts';
import type { IndexAnswer, IndexQuestion } from './search-file.ts';
import { failureOf, type WorkerFailure } from './worker-failure.ts';

parentPort?.on('message', (question: IndexQuestion) => {
  const answer = tryIndex(question);
  parentPort?.postMessage(answer, 'bytes' in answer && answer.bytes ? [answer.bytes.buffer] : []);
});

function tryIndex({ folder, cacheVersion }: IndexQuestion): IndexAnswer | { readonly failure: WorkerFailure } {
  try {
    const { table, cacheVersion: found } = openCacheFolder(folder);
    if (found !== cacheVersion) return { bytes: undefined };
    const counter = new SearchCounter();
    for (let index = 0; index < table.count; index++) {
      const { id, content } = readDocument(folder, table, index);
      counter.add(id, content, Buffer.from(content));
    }
    const builder = new SearchBuilder();
    builder.add(counter.take(), 0, 0);
    return { bytes: builder.build(cacheVersion, table.count) };
  } catch (thrown) {
    return { failure: failureOf(thrown) };
  }
}
