import { parentPort, workerData } from 'node:worker_threads';
import { BinderyError } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';
import { type Ingested, type IngestFolders, SourceIngest } from './ingest-sources.ts';
import { ThreadTurn } from './thread-turn.ts';
import type { SourceFile } from './walk-sources.ts';

/** What a worker is started with. */
export interface IngestWork {
  readonly folders: IngestFolders;
  readonly turn: SharedArrayBuffer;
}

/** What a worker is asked: to ingest sources, or whether these document files hold them already. */
export interface WorkerQuestion {
  readonly files: readonly SourceFile[];
  readonly documentFiles?: readonly string[];
}

/** What a worker answers; errors are classes, and classes do not cross threads. */
export type WorkerAnswer =
  | { readonly ingested: Ingested }
  | { readonly isSame: boolean }
  | { readonly failure: { readonly code: string; readonly detail: string | undefined; readonly isFile: boolean } };

const { folders, turn } = workerData as IngestWork;
const ingest = new SourceIngest(folders, new ThreadTurn(turn));

parentPort?.on('message', (question: WorkerQuestion) => {
  const given = answer(question);
  parentPort?.postMessage(given, 'ingested' in given ? memoryOf(given.ingested) : []);
});

function answer({ files, documentFiles }: WorkerQuestion): WorkerAnswer {
  try {
    return documentFiles ? { isSame: ingest.matches(files, documentFiles) } : { ingested: ingest.run(files) };
  } catch (thrown) {
    if (thrown instanceof BinderyError) {
      return { failure: { code: thrown.code, detail: thrown.detail, isFile: false } };
    }
    const code = errorCode(thrown);
    if (code === undefined) throw thrown;
    return { failure: { code, detail: (thrown as Error).message, isFile: true } };
  }
}

/** What is handed over instead of copied. */
function memoryOf({ repeated, counted }: Ingested): ArrayBuffer[] {
  const { totalWords, tokens, termsPerDocument, terms, counts } = counted;
  return [repeated, totalWords, tokens, termsPerDocument, terms, counts].map(({ buffer }) => buffer as ArrayBuffer);
}
