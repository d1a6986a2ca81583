import { parentPort, workerData } from 'node:worker_threads';
import { type Ingested, type IngestFolders, SourceIngest } from './ingest-sources.ts';
import { receiveFiles, type SentFiles } from './sent-files.ts';
import { ThreadTurn } from './thread-turn.ts';
import { failureOf, type WorkerFailure } from './worker-failure.ts';

/** What a worker is started with. */
export interface IngestWork {
  readonly folders: IngestFolders;
  readonly turn: SharedArrayBuffer;
}

/** What a worker is asked: to ingest sources, or whether these document files hold them already. */
export interface WorkerQuestion {
  readonly files: SentFiles;
  readonly documentFiles?: readonly string[];
}

export type WorkerAnswer = { readonly ingested: Ingested } | { readonly isSame: boolean };

const { folders, turn } = workerData as IngestWork;
const ingest = new SourceIngest(folders, new ThreadTurn(turn));

parentPort?.on('message', (question: WorkerQuestion) => {
  const given = answer(question);
  parentPort?.postMessage(given, 'ingested' in given ? memoryOf(given.ingested) : []);
});

function answer({ files: sent, documentFiles }: WorkerQuestion): WorkerAnswer | { readonly failure: WorkerFailure } {
  try {
    const files = receiveFiles(sent);
    return documentFiles ? { isSame: ingest.matches(files, documentFiles) } : { ingested: ingest.run(files) };
  } catch (thrown) {
    return { failure: failureOf(thrown) };
  }
}

/** What is handed over instead of copied. */
function memoryOf({ repeated, counted }: Ingested): ArrayBuffer[] {
  const { totalWords, tokens, termsPerDocument, terms, counts } = counted;
  return [repeated, totalWords, tokens, termsPerDocument, terms, counts].map(({ buffer }) => buffer as ArrayBuffer);
}
