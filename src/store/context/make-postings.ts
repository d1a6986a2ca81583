import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sha256Hex } from '../../context/hash.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { encodePostings } from '../../context/postings.ts';
import { PostingsBuilder } from './postings-builder.ts';
import type { PostingsAnswer, PostingsQuestion } from './postings-worker.ts';
import type { CountedRun } from './term-counter.ts';
import { errorOf } from './worker-failure.ts';

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
  return documentCount <= CONTEXT_LIMITS.buildInlineMax ? inline(documentCount) : new PostingsThread(documentCount);
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

class PostingsThread implements PostingsMaker {
  readonly #worker: Worker;
  readonly #broken = Promise.withResolvers<never>();

  constructor(documentCount: number) {
    // The same file beside this one: JavaScript when built, TypeScript in the sources. Flags of the process are not its.
    const module = new URL(`./postings-worker${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(module, { workerData: { documentCount }, execArgv: [] });
    this.#worker.on('error', this.#broken.reject);
    this.#broken.promise.catch(() => {
      // It is told by `write`.
    });
  }

  add(run: CountedRun, first: number, vocabulary: number): void {
    const { totalWords, tokens, termsPerDocument, terms, counts } = run;
    const memory = [totalWords, tokens, termsPerDocument, terms, counts].map(({ buffer }) => buffer as ArrayBuffer);
    this.#ask({ run, first, vocabulary }, memory);
  }

  async write(file: string, cacheVersion: string): Promise<string> {
    const answered = once(this.#worker, 'message') as Promise<[PostingsAnswer]>;
    this.#ask({ file, cacheVersion });
    const [answer] = await Promise.race([answered, this.#broken.promise]);
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer.sha256;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(question: PostingsQuestion, memory: ArrayBuffer[] = []): void {
    this.#worker.postMessage(question, memory);
  }
}
