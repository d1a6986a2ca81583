import type { SourceFile } from './walk-sources.ts';

/** Sources for a thread: two texts cross several times faster than two per source. */
export interface SentFiles {
  readonly ids: string;
  readonly sources: string;
}

/** A character that no path contains. */
const BETWEEN = '\0';

export function sendFiles(files: readonly SourceFile[]): SentFiles {
  return {
    ids: files.map(({ id }) => id).join(BETWEEN),
    sources: files.map(({ source }) => source).join(BETWEEN),
  };
}

export function receiveFiles(sent: SentFiles): SourceFile[] {
  const sources = sent.sources.split(BETWEEN);
  return sent.ids.split(BETWEEN).map((id, index) => ({ id, source: sources[index] as string }));
}
