import { setImmediate } from 'node:timers/promises';
import type { DocumentEntry, DocumentTable } from '../../context/document-table.ts';
import { hexOfVersion } from '../../context/hash.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { BinderyError } from '../../contract/errors.ts';
import { AskedThread } from './asked-thread.ts';
import { errorCode } from './file-errors.ts';
import { type Ingested, type IngestFolders, SourceIngest, type WrittenRun } from './ingest-sources.ts';
import { doTask, type IngestOutcome, type IngestTask } from './ingest-task.ts';
import type { IngestWork } from './ingest-worker.ts';
import { sendFiles } from './sent-files.ts';
import { ThreadMutex } from './thread-mutex.ts';
import type { SourceFile } from './walk-sources.ts';

/** One run of sources, and the vocabulary that its term numbers belong to. */
export interface IngestedRun {
  readonly first: number;
  readonly vocabulary: number;
  readonly ingested: Ingested;
}

type Deliver = (run: IngestedRun) => void;
type Thread = AskedThread<IngestTask, IngestOutcome>;

/** Ingests the sources of one build, on several threads if there are many. */
export class IngestPool {
  readonly #folders: IngestFolders;
  #threads: readonly Thread[] = [];

  constructor(folders: IngestFolders) {
    this.#folders = folders;
  }

  /** Starts the threads as soon as enough sources are found, so that they load while the walk goes on. */
  expect(count: number): void {
    if (count <= CONTEXT_LIMITS.buildInlineMax || this.#threads.length > 0) return;
    const data: IngestWork = { folders: this.#folders, mutex: ThreadMutex.memory() };
    this.#threads = Array.from(
      { length: CONTEXT_LIMITS.buildWorkers },
      () => new AskedThread<IngestTask, IngestOutcome>('ingest-worker', data),
    );
  }

  /** Ingests all sources, and delivers each run when it is done. */
  async ingest(files: readonly SourceFile[], deliver: Deliver, signal: AbortSignal): Promise<void> {
    const task = (run: Run): IngestTask => ({ kind: 'ingest', files: sendFiles(run.files) });
    await this.#overRuns(files, signal, task, (outcome, { first }, vocabulary) => {
      if ('ingested' in outcome) deliver({ first, vocabulary, ingested: outcome.ingested });
      return true;
    });
  }

  /** Whether the reusable cache contains exactly what all sources produce; stops at the first difference. */
  async matches(
    files: readonly SourceFile[],
    table: DocumentTable,
    signal: AbortSignal,
    onDone: (done: number) => void,
  ): Promise<boolean> {
    const task = ({ first, files: some }: Run): IngestTask => ({
      kind: 'match',
      files: sendFiles(some),
      documentFiles: some.map((_, index) => table.file(first + index)),
    });
    let isSame = true;
    let done = 0;
    try {
      await this.#overRuns(files, signal, task, (outcome, run) => {
        isSame &&= 'isSame' in outcome && outcome.isSame;
        done += run.files.length;
        onDone(done);
        return isSame;
      });
      return isSame;
    } catch (thrown) {
      // An unreadable source counts as different; the following build reports the error.
      if (errorCode(thrown) === undefined || signal.aborted) throw thrown;
      // A thread may still be busy with its task and answer late.
      await this.close();
      return false;
    }
  }

  /**
   * Reads document files back by their manifest names, and returns a wrong one, if any. A large build reads only a sample, and all files
   * that may have been renamed: the writer has already compared every file.
   */
  async wrongFile(
    files: readonly SourceFile[],
    entries: readonly DocumentEntry[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const every = files.length > CONTEXT_LIMITS.buildInlineMax ? CONTEXT_LIMITS.readBackEvery : 1;
    const isRead = (_: unknown, index: number) => index % every === 0 || entries[index]?.isRepeated === true;
    const readEntries = entries.filter(isRead);
    const task = ({ first, files: some }: Run): IngestTask => ({
      kind: 'check',
      files: sendFiles(some),
      written: writtenRun(readEntries.slice(first, first + some.length)),
    });
    let wrong: string | undefined;
    await this.#overRuns(files.filter(isRead), signal, task, (outcome) => {
      if ('firstWrong' in outcome) wrong ??= outcome.firstWrong;
      return wrong === undefined;
    });
    return wrong;
  }

  /** Ends the threads: none may write into a folder that is being removed. */
  async close(): Promise<void> {
    const threads = this.#threads;
    this.#threads = [];
    await Promise.all(threads.map((thread) => thread.close()));
  }

  /** Runs a task for each run of the sources, until all are done or `take` returns false. */
  async #overRuns(
    files: readonly SourceFile[],
    signal: AbortSignal,
    taskOf: (run: Run) => IngestTask,
    take: (outcome: IngestOutcome, run: Run, thread: number) => boolean,
  ): Promise<void> {
    const runs = new Runs(files);
    let goesOn = true;
    this.expect(files.length);
    const threads = this.#threads.length > 0 ? this.#threads : [this.#thisThread()];
    await allAtOnce(threads, signal, async (thread, number, stopped) => {
      for (let run = runs.next(); run && goesOn; run = runs.next()) {
        const outcome = await thread.ask(taskOf(run), stopped);
        goesOn = take(outcome, run, number) && goesOn;
      }
    });
  }

  /** Works in this thread, and yields to the event loop between two runs. */
  #thisThread(): Pick<Thread, 'ask'> {
    const ingest = new SourceIngest(this.#folders, new ThreadMutex(ThreadMutex.memory()));
    return {
      async ask(task, signal) {
        await setImmediate();
        signal?.throwIfAborted();
        return doTask(ingest, task);
      },
    };
  }
}

/** Runs all numbered threads at once. The first failure stops the others. */
async function allAtOnce<T>(
  threads: readonly T[],
  signal: AbortSignal,
  work: (thread: T, number: number, stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const settled = await Promise.allSettled(
    threads.map((thread, number) =>
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

interface Run {
  readonly first: number;
  readonly files: readonly SourceFile[];
}

function writtenRun(entries: readonly DocumentEntry[]): WrittenRun {
  return {
    versions: entries.map(({ version }) => hexOfVersion(version)).join(''),
    repeated: Uint8Array.from(entries, ({ isRepeated }) => (isRepeated ? 1 : 0)),
  };
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
