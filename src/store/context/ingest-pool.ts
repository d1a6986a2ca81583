import { once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { DocumentTable } from '../../context/document-table.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { BinderyError } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';
import { type Ingested, type IngestFolders, SourceIngest } from './ingest-sources.ts';
import type { IngestWork, WorkerAnswer, WorkerQuestion } from './ingest-worker.ts';
import { ThreadTurn } from './thread-turn.ts';
import type { SourceFile } from './walk-sources.ts';
import { errorOf } from './worker-failure.ts';

/** One run of sources, with whose vocabulary its term numbers are. */
export interface IngestedRun {
  readonly first: number;
  readonly vocabulary: number;
  readonly ingested: Ingested;
}

type Deliver = (run: IngestedRun) => void;

/** Ingests all sources, on several threads where there are many, and delivers the runs as they are done. */
export async function ingestAll(
  files: readonly SourceFile[],
  folders: IngestFolders,
  deliver: Deliver,
  signal: AbortSignal,
): Promise<void> {
  const runs = new Runs(files);
  if (files.length <= CONTEXT_LIMITS.buildInlineMax) return ingestInline(runs, folders, deliver, signal);
  await inWorkers(folders, signal, async (ask, vocabulary) => {
    for (let run = runs.next(); run; run = runs.next()) {
      const answer = await ask({ files: run.files });
      if ('ingested' in answer) deliver({ first: run.first, vocabulary, ingested: answer.ingested });
    }
  });
}

/** Whether the document files of a cache are exactly what all sources give; it stops at the first that is not. */
export async function matchAll(
  files: readonly SourceFile[],
  table: DocumentTable,
  folders: IngestFolders,
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
    if (files.length <= CONTEXT_LIMITS.buildInlineMax) {
      const ingest = new SourceIngest(folders, new ThreadTurn(ThreadTurn.memory()));
      for (let run = runs.next(); run && isSame; run = runs.next())
        took(run, ingest.matches(run.files, documentFiles(run)));
      return isSame;
    }
    await inWorkers(folders, signal, async (ask) => {
      for (let run = runs.next(); run && isSame; run = runs.next()) {
        const answer = await ask({ files: run.files, documentFiles: documentFiles(run) });
        took(run, 'isSame' in answer && answer.isSame);
      }
    });
    return isSame;
  } catch (thrown) {
    // What cannot be read is not the same; the build that follows says what is wrong with it.
    if (errorCode(thrown) === undefined || signal.aborted) throw thrown;
    return false;
  }
}

async function ingestInline(runs: Runs, folders: IngestFolders, deliver: Deliver, signal: AbortSignal): Promise<void> {
  const ingest = new SourceIngest(folders, new ThreadTurn(ThreadTurn.memory()));
  for (let run = runs.next(); run; run = runs.next()) {
    signal.throwIfAborted();
    deliver({ first: run.first, vocabulary: 0, ingested: ingest.run(run.files) });
    await setImmediate();
  }
}

type Ask = (question: WorkerQuestion) => Promise<WorkerAnswer>;

/** Has several threads work at once; each has a number. The first failure ends all. */
async function inWorkers(
  folders: IngestFolders,
  signal: AbortSignal,
  work: (ask: Ask, worker: number) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const data: IngestWork = { folders, turn: ThreadTurn.memory() };
  const workers = Array.from({ length: CONTEXT_LIMITS.buildWorkers }, (_, number) =>
    inWorker(data, stopped, (ask) => work(ask, number)).catch((thrown) => {
      stop.abort(thrown);
      throw thrown;
    }),
  );
  // Every thread has ended before the first failure is reported, so that none writes into a folder that is being removed.
  const settled = await Promise.allSettled(workers);
  signal.throwIfAborted();
  stop.signal.throwIfAborted();
  if (settled.some((result) => result.status === 'rejected')) throw new BinderyError('internal_error');
}

async function inWorker(workerData: IngestWork, signal: AbortSignal, work: (ask: Ask) => Promise<void>): Promise<void> {
  // The same file beside this one: JavaScript when built, TypeScript in the sources. Flags of the process are not its.
  const module = new URL(`./ingest-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(module, { workerData, execArgv: [] });
  try {
    await work(async (question) => {
      worker.postMessage(question);
      const [answer] = (await once(worker, 'message', { signal })) as [WorkerAnswer];
      if ('failure' in answer) throw errorOf(answer.failure);
      return answer;
    });
  } finally {
    await worker.terminate();
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
