import type { Ingested, SourceIngest, WrittenRun } from './ingest-sources.ts';
import { receiveFiles, type SentFiles } from './sent-files.ts';

/**
 * A task for a build thread: ingest a run, check whether document files of an older cache contain it already, or read its written files
 * back.
 */
export type IngestTask = { readonly files: SentFiles } & (
  | { readonly kind: 'ingest' }
  | { readonly kind: 'match'; readonly documentFiles: readonly string[] }
  | { readonly kind: 'check'; readonly written: WrittenRun }
);

export type IngestOutcome =
  | { readonly ingested: Ingested }
  | { readonly isSame: boolean }
  | { readonly firstWrong: string | undefined };

export function doTask(ingest: SourceIngest, task: IngestTask): IngestOutcome {
  const files = receiveFiles(task.files);
  switch (task.kind) {
    case 'ingest':
      return { ingested: ingest.run(files) };
    case 'match':
      return { isSame: ingest.matches(files, task.documentFiles) };
    case 'check':
      return { firstWrong: ingest.firstWrong(files, task.written) };
  }
}
