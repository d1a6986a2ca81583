import { setImmediate } from 'node:timers/promises';
import type { DocumentTable } from '../../context/document-table.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { BinderyError } from '../../contract/errors.ts';
import { AskedThread } from './asked-thread.ts';
import { errorCode } from './file-errors.ts';
import { type Ingested, type IngestFolders, SourceIngest } from './ingest-sources.ts';
import type { IngestWork, WorkerAnswer, WorkerQuestion } from './ingest-worker.ts';
import { sendFiles } from './sent-files.ts';
import { ThreadTurn } from './thread-turn.ts';
import type { SourceFile } from './walk-sources.ts';

/** One run of sources, with whose vocabulary its term numbers are. */
export interface IngestedRun {
  readonly first: number;
  readonly vocabulary: number;
  readonly ingested: Ingested;
}

type Deliver = (run: IngestedRun) => void;
type Thread = AskedThread<WorkerQuestion, WorkerAnswer>;

/** Ingests the sources of one build, on several threads where there are many. */
export class IngestPool {
  readonly #folders: IngestFolders;
  #threads: readonly Thread[] = [];

  constructor(folders: IngestFolders) {
    this.#folders = folders;
  }

  /** Starts the threads once so many sources were found that they will be needed: they load while the rest is found. */
  expect(count: number): void {
    if (count <= CONTEXT_LIMITS.buildInlineMax || this.#threads.length > 0) return;
    const data: IngestWork = { folders: this.#folders, turn: ThreadTurn.memory() };
    this.#threads = Array.from(
      { length: CONTEXT_LIMITS.buildWorkers },
      () => new AskedThread<WorkerQuestion, WorkerAnswer>('ingest-worker', data),
    );
  }

  /** Ingests all sources, and delivers the runs as they are done. */
  async ingest(files: readonly SourceFile[], deliver: Deliver, signal: AbortSignal): Promise<void> {
    const runs = new Runs(files);
    this.expect(files.length);
    if (this.#threads.length === 0) return this.#ingestInline(runs, deliver, signal);
    await this.#inThreads(signal, async (thread, vocabulary, stopped) => {
      for (let run = runs.next(); run; run = runs.next()) {
        const answer = await thread.ask({ files: sendFiles(run.files) }, stopped);
        if ('ingested' in answer) deliver({ first: run.first, vocabulary, ingested: answer.ingested });
      }
    });
  }

  /** Whether the cache that may be reused holds exactly what all sources give; it stops at the first that it does not. */
  async matches(
    files: readonly SourceFile[],
    table: DocumentTable,
    signal: AbortSignal,
    onDone: (done: number) => void,
  ): Promise<boolean> {
    const runs = new Runs(files);
    const documentFiles = ({ first, files: some }: Run) => some.map((_, index) => table.file(first + index));
    let isSame = true;
    let done = 0;
    const took = (run: Run, matched: boolean) => {
      isSame &&= matched;
      done += run.files.length;
      onDone(done);
    };
    try {
      this.expect(files.length);
      if (this.#threads.length === 0) {
        const ingest = this.#inlineIngest();
        for (let run = runs.next(); run && isSame; run = runs.next())
          took(run, ingest.matches(run.files, documentFiles(run)));
        return isSame;
      }
      await this.#inThreads(signal, async (thread, _, stopped) => {
        for (let run = runs.next(); run && isSame; run = runs.next()) {
          const question = { files: sendFiles(run.files), documentFiles: documentFiles(run) };
          const answer = await thread.ask(question, stopped);
          took(run, 'isSame' in answer && answer.isSame);
        }
      });
      return isSame;
    } catch (thrown) {
      // What cannot be read is not the same; the build that follows says what is wrong with it.
      if (errorCode(thrown) === undefined || signal.aborted) throw thrown;
      // A thread may still be at what it was asked, and would answer later.
      await this.close();
      return false;
    }
  }

  /** Ends the threads: none writes into a folder that is being removed. */
  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  async #ingestInline(runs: Runs, deliver: Deliver, signal: AbortSignal): Promise<void> {
    const ingest = this.#inlineIngest();
    for (let run = runs.next(); run; run = runs.next()) {
      signal.throwIfAborted();
      deliver({ first: run.first, vocabulary: 0, ingested: ingest.run(run.files) });
      await setImmediate();
    }
  }

  #inlineIngest(): SourceIngest {
    return new SourceIngest(this.#folders, new ThreadTurn(ThreadTurn.memory()));
  }

  /** Has all threads work at once; each has a number. The first failure stops the others. */
  async #inThreads(
    signal: AbortSignal,
    work: (thread: Thread, number: number, stopped: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const stopped = AbortSignal.any([signal, stop.signal]);
    const settled = await Promise.allSettled(
      this.#threads.map((thread, number) =>
        work(thread, number, stopped).catch((thrown) => {
          stop.abort(thrown);
          throw thrown;
        }),
      ),
    );
    signal.throwIfAborted();
    stop.signal.throwIfAborted();
    if (settled.some((result) => result.status === 'rejected')) throw new BinderyError('internal_error');
  }
}

interface Run {
  readonly first: number;
  readonly files: readonly SourceFile[];
}

/** Hands out the sources in order, a run at a time. */
class Runs {
  readonly #files: readonly SourceFile[];
  #next = 0;

  constructor(files: readonly SourceFile[]) {
    this.#files = files;
  }

  next(): Run | undefined {
    const first = this.#next;
    if (first >= this.#files.length) return undefined;
    this.#next += CONTEXT_LIMITS.buildChunk;
    return { first, files: this.#files.slice(first, this.#next) };
  }
}
