import type { Ingested, SourceIngest, WrittenRun } from './ingest-sources.ts';
import { receiveFiles, type SentFiles } from './sent-files.ts';

/**
 * What a thread of a build is asked to do with a run of sources: to ingest it, to say whether these document files of an older
 * cache hold it already, or to read back what was written for it.
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
