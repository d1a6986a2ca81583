import { writeFileSync } from 'node:fs';
import { sha256Hex } from '../../context/hash.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { AskedThread } from './asked-thread.ts';
import { SearchBuilder } from './search-builder.ts';
import { memoryOfRun, type SearchRun } from './search-counter.ts';
import type { SearchAnswer, SearchQuestion } from './search-worker.ts';

/** Makes the search index of a cache from its runs, which come in any order. */
export interface SearchMaker {
  /** The run is the maker's from then on. */
  add(run: SearchRun, first: number, vocabulary: number): void;
  /** Writes the index of all; its hash. */
  write(file: string, cacheVersion: string): Promise<string>;
  close(): Promise<void>;
}

/** The index of many documents is made in a thread of its own. */
export function makeSearch(documentCount: number): SearchMaker {
  return documentCount <= CONTEXT_LIMITS.buildInlineMax ? inline(documentCount) : inThread(documentCount);
}

function inline(documentCount: number): SearchMaker {
  const builder = new SearchBuilder();
  return {
    add: (run, first, vocabulary) => builder.add(run, first, vocabulary),
    async write(file, cacheVersion) {
      const bytes = builder.build(cacheVersion, documentCount);
      writeFileSync(file, bytes);
      return sha256Hex(bytes);
    },
    async close() {},
  };
}

function inThread(documentCount: number): SearchMaker {
  const thread = new AskedThread<SearchQuestion, SearchAnswer>('search-worker', { documentCount });
  return {
    add: (run, first, vocabulary) => thread.tell({ run, first, vocabulary }, memoryOfRun(run)),
    write: async (file, cacheVersion) => (await thread.ask({ file, cacheVersion })).sha256,
    close: () => thread.close(),
  };
}
