import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../../contract/ports.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import type { RestoredFile } from '../../gateway/administration/deps.ts';
import { lateLibrary } from '../../libraries/late-library.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

interface BackedUpFile {
  readonly path: string;
  readonly existed: boolean;
  /** Octal; null where the file did not exist. */
  readonly mode: string | null;
  readonly sha256_before: string | null;
  /** What the file was given; null: it was removed. */
  readonly sha256_after: string | null;
}

interface Manifest {
  readonly created_at: string;
  /** An import; or a restore that was forced over changes, which keeps them. */
  readonly purpose: 'import' | 'restore';
  readonly restored_at: string | null;
  readonly files: readonly BackedUpFile[];
  /** What runs because of the change. */
  readonly process?: StartedProcess;
}

/** A gateway that was started with a change of files. */
export interface StartedProcess {
  readonly how: 'background' | 'service';
  readonly pid: number;
}

/** A file that is about to change, and what it becomes; undefined: it is removed. */
export interface Change {
  readonly path: string;
  readonly after: Uint8Array | undefined;
}

export interface RestoredBackup {
  readonly backup: string;
  readonly files: readonly RestoredFile[];
}

/** Ends what was started with a change, before its files are put back. */
export type EndProcess = (started: StartedProcess) => Promise<void>;

/** Backups of files before they are changed: `<dir>/<time>/manifest.json` and the bytes. */
export class FileBackups {
  readonly #dir: string;
  readonly #clock: Clock;

  constructor(dir: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
  }

  /** Keeps the bytes of these files; complete before it resolves, so that the files may then be changed. */
  async create(changes: readonly Change[], purpose: Manifest['purpose'] = 'import'): Promise<string> {
    const created_at = new Date(this.#clock.now()).toISOString();
    const id = this.#freeId(created_at);
    mkdirSync(join(this.#dir, id), { recursive: true, mode: 0o700 });
    const files: BackedUpFile[] = [];
    for (const [index, { path, after }] of changes.entries()) {
      const bytes = bytesOf(path);
      if (bytes) await writeFileAtomic()(this.#bytesFile(id, index), bytes, { mode: 0o600 });
      files.push({
        path,
        existed: bytes !== undefined,
        mode: bytes ? modeOf(path) : null,
        sha256_before: digest(bytes),
        sha256_after: digest(after),
      });
    }
    await this.#write(id, { created_at, purpose, restored_at: null, files });
    return id;
  }

  /** Puts back what was written of a change that failed; a file that somebody else changed meanwhile stays. */
  async takeBack(id: string): Promise<void> {
    const manifest = this.#read(id);
    for (const [index, file] of manifest.files.entries()) {
      if (digest(bytesOf(file.path)) === file.sha256_after) await putBack(file, this.#kept(id, file, index));
    }
    await this.#write(id, { ...manifest, restored_at: new Date(this.#clock.now()).toISOString() });
  }

  /** Notes the process that was started with the change, so that undoing it ends the process. */
  async noteProcess(id: string, process: StartedProcess): Promise<void> {
    await this.#write(id, { ...this.#read(id), process });
  }

  /** Puts the files of a backup back; nothing is touched where one of them is neither as it was nor as it became. */
  async restore(id: string | undefined, force: boolean, end: EndProcess = async () => {}): Promise<RestoredBackup> {
    const backup = id ?? this.#newest();
    const manifest = this.#read(backup);
    const changed = manifest.files.filter((file) => {
      const now = digest(bytesOf(file.path));
      return now !== file.sha256_after && now !== file.sha256_before;
    });
    if (changed.length > 0 && !force) {
      throw new BinderyError('RESTORE_CONFLICT', {
        detail: changed.map(({ path }) => path).join(', '),
        members: { files: changed.map(({ path }) => path) },
      });
    }
    const contents = manifest.files.map((file, index) => this.#kept(backup, file, index));
    if (changed.length > 0) {
      const undone = manifest.files.flatMap(({ path }, index) =>
        changed.some((file) => file.path === path) ? [{ path, after: contents[index] }] : [],
      );
      await this.create(undone, 'restore');
    }
    if (manifest.process) await end(manifest.process);
    const files: RestoredFile[] = [];
    for (const [index, file] of manifest.files.entries()) files.push(await putBack(file, contents[index]));
    await this.#write(backup, { ...manifest, restored_at: new Date(this.#clock.now()).toISOString() });
    return { backup, files };
  }

  /**
   * Undoes the newest change of this one file, if the file is still as that left it; gives the backup's id. Undefined: it was changed
   * since, or together with others.
   */
  async undo(path: string): Promise<string | undefined> {
    const ids = existsSync(this.#dir) ? readdirSync(this.#dir).sort().reverse() : [];
    const now = digest(bytesOf(path));
    for (const id of ids) {
      if (!existsSync(this.#manifestFile(id))) continue;
      const { files, restored_at } = this.#read(id);
      const [only, ...others] = files;
      if (restored_at !== null || !files.some((file) => file.path === path)) continue;
      if (only?.sha256_after !== now || others.length > 0) return undefined;
      await this.restore(id, false);
      return id;
    }
    return undefined;
  }

  /** The bytes as they were kept; a backup that was changed itself restores nothing. */
  #kept(backup: string, { existed, sha256_before }: BackedUpFile, index: number): Uint8Array | undefined {
    if (!existed) return undefined;
    const bytes = bytesOf(this.#bytesFile(backup, index));
    if (digest(bytes) !== sha256_before) throw new BinderyError('BACKUP_INVALID', { detail: backup });
    return bytes;
  }

  #newest(): string {
    const ids = existsSync(this.#dir) ? readdirSync(this.#dir).sort().reverse() : [];
    const found = ids.find((id) => {
      if (!existsSync(this.#manifestFile(id))) return false;
      const { purpose, restored_at } = this.#read(id);
      return purpose === 'import' && restored_at === null;
    });
    if (found === undefined) throw new BinderyError('BACKUP_NOT_FOUND');
    return found;
  }

  #freeId(time: string): string {
    const id = time.replaceAll(/[-:]/g, '');
    let free = id;
    for (let count = 2; existsSync(join(this.#dir, free)); count += 1) free = `${id}-${count}`;
    return free;
  }

  #read(id: string): Manifest {
    if (!/^[\w.-]+$/.test(id) || !existsSync(this.#manifestFile(id))) {
      throw new BinderyError('BACKUP_NOT_FOUND', { detail: id });
    }
    try {
      return JSON.parse(readFileSync(this.#manifestFile(id), 'utf8')) as Manifest;
    } catch (cause) {
      throw new BinderyError('BACKUP_INVALID', { detail: id, cause });
    }
  }

  #write(id: string, manifest: Manifest): Promise<void> {
    return writeFileAtomic()(this.#manifestFile(id), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  }

  #manifestFile(id: string): string {
    return join(this.#dir, id, 'manifest.json');
  }

  #bytesFile(id: string, index: number): string {
    return join(this.#dir, id, `${index}.bytes`);
  }
}

async function putBack(file: BackedUpFile, bytes: Uint8Array | undefined): Promise<RestoredFile> {
  const { path, mode, sha256_before } = file;
  const now = bytesOf(path);
  if (bytes === undefined) {
    rmSync(path, { force: true });
    return { path, action: now === undefined ? 'unchanged' : 'removed' };
  }
  if (digest(now) !== sha256_before) await writeFileAtomic()(path, Buffer.from(bytes));
  if (mode !== null) chmodSync(path, Number.parseInt(mode, 8));
  return { path, action: digest(now) === sha256_before ? 'unchanged' : 'restored' };
}

function bytesOf(path: string): Buffer | undefined {
  return readSuppliedFileSync({ path, bytesMax: LIMITS.importFileBytesMax });
}

function digest(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex');
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8).padStart(4, '0');
}
