import { parentPort, workerData } from 'node:worker_threads';
import { type Ingested, type IngestFolders, SourceIngest } from './ingest-sources.ts';
import { doTask, type IngestOutcome, type IngestTask } from './ingest-task.ts';
import { memoryOfRun } from './search-counter.ts';
import { ThreadMutex } from './thread-mutex.ts';
import { failureOf, type WorkerFailure } from './worker-failure.ts';

/** The data that a worker is started with. */
export interface IngestWork {
  readonly folders: IngestFolders;
  readonly mutex: SharedArrayBuffer;
}

const { folders, mutex } = workerData as IngestWork;
const ingest = new SourceIngest(folders, new ThreadMutex(mutex));

parentPort?.on('message', (task: IngestTask) => {
  const outcome = tryTask(task);
  parentPort?.postMessage(outcome, 'ingested' in outcome ? memoryOf(outcome.ingested) : []);
});

function tryTask(task: IngestTask): IngestOutcome | { readonly failure: WorkerFailure } {
  try {
    return doTask(ingest, task);
  } catch (thrown) {
    return { failure: failureOf(thrown) };
  }
}

/** Buffers that are transferred instead of copied. */
function memoryOf({ repeated, counted, search }: Ingested): ArrayBuffer[] {
  const { totalWords, tokens, termsPerDocument, terms, counts } = counted;
  const arrays = [repeated, totalWords, tokens, termsPerDocument, terms, counts];
  return [...arrays.map(({ buffer }) => buffer as ArrayBuffer), ...memoryOfRun(search)];
}
