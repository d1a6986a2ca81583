import type { Corpus, CorpusBuild } from './corpus-builder.ts';
import type { CorpusIssue } from './issue.ts';
import type { Snapshot } from './snapshot.ts';

/** The result of the last build. */
export interface BuildState {
  readonly ok: boolean;
  readonly errors: readonly CorpusIssue[];
}

/** The snapshot for reads; the last good one stays until the next good build. */
export interface SnapshotSource {
  /** Undefined until the first good build. */
  current(): { readonly snapshot: Snapshot } | undefined;
  state(): BuildState;
}

/** The same with artefacts of every state. */
export interface CorpusSource extends SnapshotSource {
  current(): Corpus | undefined;
}

export interface FileChange {
  /** Path inside the corpus, with `/`. */
  readonly path: string;
  /** Undefined: remove the file. */
  readonly content: string | undefined;
}

/** An editable corpus: writes files, and returns once the next snapshot is built. */
export interface EditableCorpus extends CorpusSource {
  /** Idempotent: an interrupted change can be repeated. */
  commit(changes: readonly FileChange[], message: string): Promise<CorpusBuild>;
  /** Checks the folder now. */
  refresh(): Promise<CorpusBuild>;
}
