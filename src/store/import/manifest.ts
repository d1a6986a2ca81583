/** The command that made the backup; `restore`: the files that a forced restore overwrote. */
export type Purpose = 'init' | 'import' | 'connect' | 'disconnect' | 'restore';

export interface BackedUpFile {
  readonly path: string;
  readonly existed: boolean;
  /** Octal; null if the file did not exist. */
  readonly mode: string | null;
  readonly sha256_before: string | null;
  /** Digest of the new content; null: it was removed. */
  readonly sha256_after: string | null;
  /** It could not be written, so there is nothing to undo. */
  readonly written?: false;
}

/** `manifest.json` of a backup. */
export interface Manifest {
  readonly created_at: string;
  readonly purpose: Purpose;
  /** When it was undone; null: it can be undone. */
  readonly restored_at: string | null;
  readonly files: readonly BackedUpFile[];
  /** The process that writes the files, until all are written. If it has ended, the change was interrupted. */
  readonly writer?: number;
  /** The process that the change started. */
  readonly process?: StartedProcess;
}

export interface NamedManifest extends Manifest {
  readonly id: string;
}

/** A gateway that was started with a change of files. */
export interface StartedProcess {
  readonly how: 'background' | 'service';
  readonly pid: number;
}
