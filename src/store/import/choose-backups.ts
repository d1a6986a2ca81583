import { createHash } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import type { BackedUpFile, NamedManifest } from './manifest.ts';

/** How one file is restored. */
export interface FileUndo {
  readonly path: string;
  /** The backup with its bytes, and the index in it. */
  readonly backup: string;
  readonly index: number;
  readonly first: BackedUpFile;
  /** The change of `first` and later ones, oldest first. */
  readonly changes: readonly BackedUpFile[];
  /** Only `connect` changed it, and `disconnect` took the entry out: nothing of ours is in it. */
  readonly isDisconnected: boolean;
}

/**
 * The backups to undo together, oldest first. An `init` or `import` is undone with every later `connect` and `disconnect`, so that nothing
 * of it stays and no entry comes back. Default: the newest one; if there is none, every `connect` is undone.
 */
export function chooseBackups(all: readonly NamedManifest[], id: string | undefined): readonly NamedManifest[] {
  if (id !== undefined) {
    const index = all.findIndex((manifest) => manifest.id === id);
    const named = all[index];
    if (!named) throw new BinderyError('BACKUP_NOT_FOUND', { detail: id });
    return isSetUp(named) ? [named, ...followers(all.slice(index + 1))] : [named];
  }
  const open = all.filter(isOpen);
  const head = open.findLastIndex(isSetUp);
  const chosen = [...open.slice(Math.max(head, 0), head + 1), ...followers(open.slice(head + 1))];
  // After only disconnects there is nothing of ours left.
  if (chosen.every(({ purpose }) => purpose === 'disconnect')) {
    throw new BinderyError('BACKUP_NOT_FOUND', {
      detail: 'no init, import or connect is left to undo',
      next: 'Nothing has to be done. --backup ID undoes one change by its id; the folder `backups` of the data directory has them.',
    });
  }
  return chosen;
}

/** How the files of these backups are restored, in the order they were changed. */
export function filesToUndo(chosen: readonly NamedManifest[]): readonly FileUndo[] {
  const changes = chosen.flatMap(({ id, purpose, files }) =>
    files.flatMap((file, index) => (file.written === false ? [] : [{ backup: id, purpose, file, index }])),
  );
  const paths = [...new Set(changes.map(({ file }) => file.path))];
  return paths.flatMap((path) => {
    const ofPath = changes.filter(({ file }) => file.path === path);
    const [first] = ofPath;
    // An entry that existed before and was disconnected does not come back, unless that disconnect is the one being undone.
    if (!first || (first.purpose === 'disconnect' && chosen.length > 1)) return [];
    const isDisconnected = first.purpose === 'connect' && ofPath.at(-1)?.purpose === 'disconnect';
    const { backup, index, file } = first;
    return [{ path, backup, index, first: file, changes: ofPath.map((change) => change.file), isDisconnected }];
  });
}

/** Whether another program changed the file, whose digest is now `now`, between our changes or after them. */
export function hasChanged({ changes }: FileUndo, now: string | null): boolean {
  const isNext = (file: BackedUpFile, digest: string | null) =>
    digest === file.sha256_after || digest === file.sha256_before;
  const isBroken = changes.some((file, index) => {
    const next = changes[index + 1];
    return next !== undefined && !isNext(file, next.sha256_before);
  });
  return isBroken || !changes.some((file) => isNext(file, now));
}

function isSetUp({ purpose }: NamedManifest): boolean {
  return purpose === 'init' || purpose === 'import';
}

function isOpen({ restored_at }: NamedManifest): boolean {
  return restored_at === null;
}

/** Later changes that are not undone yet, up to the next `init` or `import`. */
function followers(later: readonly NamedManifest[]): readonly NamedManifest[] {
  const open = later.filter(isOpen);
  const end = open.findIndex(isSetUp);
  return (end < 0 ? open : open.slice(0, end)).filter(
    ({ purpose }) => purpose === 'connect' || purpose === 'disconnect',
  );
}

export function digestOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex');
}
