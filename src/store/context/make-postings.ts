import { writeFileSync } from 'node:fs';
import { sha256Hex } from '../../context/hash.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { encodePostings } from '../../context/postings.ts';
import { AskedThread } from './asked-thread.ts';
import { PostingsBuilder } from './postings-builder.ts';
import type { PostingsAnswer, PostingsQuestion } from './postings-worker.ts';
import type { CountedRun } from './term-counter.ts';

/** Makes the postings of a cache from its runs, which come in any order. */
export interface PostingsMaker {
  /** The run is the maker's from then on. */
  add(run: CountedRun, first: number, vocabulary: number): void;
  /** Writes the postings of all; their hash. */
  write(file: string, cacheVersion: string): Promise<string>;
  close(): Promise<void>;
}

/** Postings of many documents are made in a thread of their own, beside index and manifest. */
export function makePostings(documentCount: number): PostingsMaker {
  return documentCount <= CONTEXT_LIMITS.buildInlineMax ? inline(documentCount) : inThread(documentCount);
}

function inline(documentCount: number): PostingsMaker {
  const builder = new PostingsBuilder(documentCount);
  return {
    add: (run, first, vocabulary) => builder.add(run, first, vocabulary),
    async write(file, cacheVersion) {
      const bytes = encodePostings(builder.build(cacheVersion));
      writeFileSync(file, bytes);
      return sha256Hex(bytes);
    },
    async close() {},
  };
}

function inThread(documentCount: number): PostingsMaker {
  const thread = new AskedThread<PostingsQuestion, PostingsAnswer>('postings-worker', { documentCount });
  return {
    add(run, first, vocabulary) {
      const { totalWords, tokens, termsPerDocument, terms, counts } = run;
      const memory = [totalWords, tokens, termsPerDocument, terms, counts].map(({ buffer }) => buffer as ArrayBuffer);
      thread.tell({ run, first, vocabulary }, memory);
    },
    write: async (file, cacheVersion) => (await thread.ask({ file, cacheVersion })).sha256,
    close: () => thread.close(),
  };
}
