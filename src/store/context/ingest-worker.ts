import { parentPort, workerData } from 'node:worker_threads';
import { BinderyError } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';
import { SourceIngest } from './ingest-sources.ts';
import type { SourceFile } from './walk-sources.ts';

/** What a worker answers; errors are classes, and classes do not cross threads. */
export type WorkerAnswer =
  | { readonly ingested: ReturnType<SourceIngest['run']> }
  | { readonly failure: { readonly code: string; readonly detail: string | undefined; readonly isFile: boolean } };

const ingest = new SourceIngest(workerData);

parentPort?.on('message', (files: SourceFile[]) => {
  parentPort?.postMessage(answer(files));
});

function answer(files: SourceFile[]): WorkerAnswer {
  try {
    return { ingested: ingest.run(files) };
  } catch (thrown) {
    if (thrown instanceof BinderyError) {
      return { failure: { code: thrown.code, detail: thrown.detail, isFile: false } };
    }
    const code = errorCode(thrown);
    if (code === undefined) throw thrown;
    return { failure: { code, detail: (thrown as Error).message, isFile: true } };
  }
}
