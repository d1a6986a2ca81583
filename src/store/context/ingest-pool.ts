import { once } from 'node:events';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { BinderyError, type ErrorCode } from '../../contract/errors.ts';
import { type Ingested, type IngestFolders, SourceIngest } from './ingest-sources.ts';
import type { WorkerAnswer } from './ingest-worker.ts';
import type { SourceFile } from './walk-sources.ts';

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
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const workers = Array.from({ length: CONTEXT_LIMITS.buildWorkers }, (_, vocabulary) =>
    ingestInWorker(vocabulary, runs, folders, deliver, stopped).catch((thrown) => {
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

async function ingestInline(runs: Runs, folders: IngestFolders, deliver: Deliver, signal: AbortSignal): Promise<void> {
  const ingest = new SourceIngest(folders);
  for (let run = runs.next(); run; run = runs.next()) {
    signal.throwIfAborted();
    deliver({ first: run.first, vocabulary: 0, ingested: ingest.run(run.files) });
    await setImmediate();
  }
}

async function ingestInWorker(
  vocabulary: number,
  runs: Runs,
  folders: IngestFolders,
  deliver: Deliver,
  signal: AbortSignal,
): Promise<void> {
  // The same file beside this one: JavaScript when built, TypeScript in the sources. Flags of the process are not its.
  const module = new URL(`./ingest-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(module, { workerData: folders, execArgv: [] });
  try {
    for (let run = runs.next(); run; run = runs.next()) {
      worker.postMessage(run.files);
      const [answer] = (await once(worker, 'message', { signal })) as [WorkerAnswer];
      if ('failure' in answer) throw toError(answer.failure);
      deliver({ first: run.first, vocabulary, ingested: answer.ingested });
    }
  } finally {
    await worker.terminate();
  }
}

function toError(failure: Extract<WorkerAnswer, { failure: unknown }>['failure']): Error {
  if (failure.isFile) return Object.assign(new Error(failure.detail), { code: failure.code });
  return new BinderyError(failure.code as ErrorCode, failure.detail === undefined ? {} : { detail: failure.detail });
}

/** Hands out the sources in order, a run at a time. */
class Runs {
  readonly #files: readonly SourceFile[];
  #next = 0;

  constructor(files: readonly SourceFile[]) {
    this.#files = files;
  }

  next(): { first: number; files: readonly SourceFile[] } | undefined {
    const first = this.#next;
    if (first >= this.#files.length) return undefined;
    this.#next += CONTEXT_LIMITS.buildChunk;
    return { first, files: this.#files.slice(first, this.#next) };
  }
}
