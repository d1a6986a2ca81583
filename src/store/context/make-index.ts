import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { AskedThread } from './asked-thread.ts';
import { type BuilderAnswer, type BuilderQuestion, type IndexBuilder, writeIndex } from './index-builder.ts';
import { postingsFile } from './postings-builder.ts';
import { searchFile } from './search-builder.ts';
import { memoryOfRun, type SearchRun } from './search-counter.ts';
import type { CountedRun } from './term-counter.ts';

/** Builds one file of a cache from its runs, which arrive in any order. */
interface IndexMaker<Run> {
  /** Takes ownership of the run. */
  add(run: Run, first: number, vocabulary: number): void;
  /** Writes the file; returns its hash. */
  write(file: string, cacheVersion: string): Promise<string>;
  close(): Promise<void>;
}

/** The builders of postings and search index. For many documents each runs in its own thread, in parallel to index and manifest. */
export function indexMakers(documentCount: number) {
  return { postings: makePostings(documentCount), search: makeSearch(documentCount) };
}

function makePostings(documentCount: number): IndexMaker<CountedRun> {
  if (documentCount <= CONTEXT_LIMITS.buildInlineMax) return inline(postingsFile(documentCount));
  return inThread<CountedRun>('postings-worker', documentCount, (run) =>
    [run.totalWords, run.tokens, run.termsPerDocument, run.terms, run.counts].map(
      ({ buffer }) => buffer as ArrayBuffer,
    ),
  );
}

function makeSearch(documentCount: number): IndexMaker<SearchRun> {
  if (documentCount <= CONTEXT_LIMITS.buildInlineMax) return inline(searchFile(documentCount));
  return inThread('search-worker', documentCount, memoryOfRun);
}

function inline<Run>(builder: IndexBuilder<Run>): IndexMaker<Run> {
  return {
    add: (run, first, vocabulary) => builder.add(run, first, vocabulary),
    write: async (file, cacheVersion) => writeIndex(builder, file, cacheVersion).sha256,
    async close() {},
  };
}

function inThread<Run>(module: string, documentCount: number, memoryOf: (run: Run) => ArrayBuffer[]): IndexMaker<Run> {
  const thread = new AskedThread<BuilderQuestion<Run>, BuilderAnswer>(module, { documentCount });
  return {
    add: (run, first, vocabulary) => thread.tell({ run, first, vocabulary }, memoryOf(run)),
    write: async (file, cacheVersion) => (await thread.ask({ file, cacheVersion })).sha256,
    close: () => thread.close(),
  };
}
