/** The command whose change a backup precedes; `restore`: what a forced restore overwrote. */
export type Purpose = 'init' | 'import' | 'connect' | 'disconnect' | 'restore';

export interface BackedUpFile {
  readonly path: string;
  readonly existed: boolean;
  /** Octal; null where the file did not exist. */
  readonly mode: string | null;
  readonly sha256_before: string | null;
  /** What the file was given; null: it was removed. */
  readonly sha256_after: string | null;
  /** It could not be written: there is nothing to undo. */
  readonly written?: false;
}

/** `manifest.json` of a backup. */
export interface Manifest {
  readonly created_at: string;
  readonly purpose: Purpose;
  /** When it was undone; null: it can be undone. */
  readonly restored_at: string | null;
  readonly files: readonly BackedUpFile[];
  /** What runs because of the change. */
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
