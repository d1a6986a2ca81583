import type { Corpus, CorpusBuild } from './corpus-builder.ts';
import type { CorpusIssue } from './issue.ts';
import type { Snapshot } from './snapshot.ts';

/** How the last build ended. */
export interface BuildState {
  readonly ok: boolean;
  readonly errors: readonly CorpusIssue[];
}

/** What reads are served from; the last good snapshot stays until a better one is there. */
export interface SnapshotSource {
  /** Undefined until a first build was good. */
  current(): { readonly snapshot: Snapshot } | undefined;
  state(): BuildState;
}

/** The same with every artefact, whatever its state. */
export interface CorpusSource extends SnapshotSource {
  current(): Corpus | undefined;
}

export interface FileChange {
  /** Path inside the corpus, with `/`. */
  readonly path: string;
  /** Undefined: the file is removed. */
  readonly content: string | undefined;
}

/** A corpus that can be changed: the files are written, and the next snapshot is there when it returns. */
export interface EditableCorpus extends CorpusSource {
  /** Repeating a change that was interrupted is harmless. */
  commit(changes: readonly FileChange[], message: string): Promise<CorpusBuild>;
  /** Looks at the folder now. */
  refresh(): Promise<CorpusBuild>;
}
