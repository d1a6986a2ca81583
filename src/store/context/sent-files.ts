import type { SourceFile } from './walk-sources.ts';

/** Sources on their way to a thread: two texts cross several times as fast as two for each. */
export interface SentFiles {
  readonly ids: string;
  readonly sources: string;
}

/** What no path has in it. */
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
