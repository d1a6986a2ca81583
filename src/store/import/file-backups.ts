import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../../contract/ports.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import {
  asUnwritable,
  hasEnded,
  removeAbandoned,
  replaceFile,
  temporaryBeside,
  temporaryOwner,
} from '../../files/replace-file.ts';
import type { Restored, RestoreRequest, UndoneCommand } from '../../gateway/administration/deps.ts';
import { chooseBackups, digestOf, type FileUndo, filesToUndo } from './choose-backups.ts';
import type { BackedUpFile, Manifest, NamedManifest, Purpose, StartedProcess } from './manifest.ts';
import { CHANGED, isLeft, isWriting, type OwnFiles, type PlannedRestore, planRestore } from './plan-restore.ts';

/** The name of a backup: its time, and a number where several are of the same moment. */
const ID = /^\d{8}T\d{6}\.\d{3}Z(?:-\d+)?$/;
/** Older versions filled a folder with such a name in far less time. */
const UNNAMED_AFTER_MS = 2_000;

/** A file to change and its new content; undefined: it is removed. */
export interface Change {
  readonly path: string;
  readonly after: Uint8Array | undefined;
  /** It is changed later without a backup, too: with the new content, what this change added can be told from that. */
  readonly isConfig?: true | undefined;
}

/** Ends the process that a change started, before its files are restored. False: it had already ended. */
export type EndProcess = (started: StartedProcess) => Promise<boolean>;

/** What a restore does outside of the backups. */
export interface RestorePorts {
  readonly end?: EndProcess;
  readonly own?: OwnFiles;
}

/**
 * Backups of files before they are changed: `<dir>/<time>/manifest.json` and the bytes. A backup gets its name when it is complete; until
 * then its folder is named after the process that makes it.
 */
export class FileBackups {
  readonly #dir: string;
  readonly #clock: Clock;

  constructor(dir: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
  }

  /** Backs up these files; complete once it resolves, so that the files may then be changed. */
  async create(changes: readonly Change[], purpose: Purpose): Promise<string> {
    const created_at = new Date(this.#clock.now()).toISOString();
    this.#removeLeftovers();
    const making = temporaryBeside(join(this.#dir, idOf(created_at)));
    try {
      await asUnwritable(making, () => mkdirSync(making, { recursive: true, mode: 0o700 }));
      const writer = purpose === 'init' || purpose === 'import' ? { writer: process.pid } : {};
      await this.#fill(basename(making), changes, { created_at, purpose, restored_at: null, ...writer });
      return await asUnwritable(making, () => this.#name(making, idOf(created_at)));
    } catch (thrown) {
      rmSync(making, { recursive: true, force: true });
      throw thrown;
    }
  }

  async #fill(id: string, changes: readonly Change[], about: Omit<Manifest, 'files'>): Promise<void> {
    const files: BackedUpFile[] = [];
    for (const [index, { path, after, isConfig }] of changes.entries()) {
      const bytes = bytesOf(path);
      if (bytes) await writeOwn(this.#bytesFile(id, index), bytes);
      if (isConfig && after) await writeOwn(this.#afterFile(id, index), after);
      files.push({
        path,
        existed: bytes !== undefined,
        mode: bytes ? modeOf(path) : null,
        sha256_before: digestOf(bytes),
        sha256_after: digestOf(after),
      });
    }
    await this.#write(id, { ...about, files });
  }

  /** Gives a complete backup its name, or that name with a number where another backup of the same moment has it. */
  #name(making: string, id: string): string {
    let free = id;
    for (let count = 2; existsSync(join(this.#dir, free)); count += 1) free = `${id}-${count}`;
    renameSync(making, join(this.#dir, free));
    return free;
  }

  /** What killed commands left of backups that they had begun: copies of files that no manifest names. */
  leftovers(): string[] {
    const names = existsSync(this.#dir) ? readdirSync(this.#dir) : [];
    return names.flatMap((name) => {
      const owner = temporaryOwner(name) ?? Number(/^staging-(\d+)$/.exec(name)?.[1]);
      if (owner > 0) return hasEnded(owner) ? [join(this.#dir, name)] : [];
      if (!ID.test(name)) return [];
      return existsSync(this.#manifestFile(name)) ? this.#temporaries(name) : this.#unnamed(name);
    });
  }

  /** What cannot be removed stays: the doctor says so, and this backup needs only a place to write. */
  #removeLeftovers(): void {
    for (const path of this.leftovers()) {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch (thrown) {
        if (!/^(?:EACCES|EPERM|EROFS)$/.test((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
      }
    }
  }

  /** Files beside a manifest that were to replace it. */
  #temporaries(id: string): string[] {
    const isLeft = (name: string) => {
      const owner = temporaryOwner(name);
      return owner !== undefined && hasEnded(owner);
    };
    return readdirSync(join(this.#dir, id))
      .filter(isLeft)
      .map((name) => join(this.#dir, id, name));
  }

  /** A backup of an older version, which gave it its name first, and was not completed. */
  #unnamed(id: string): string[] {
    const folder = join(this.#dir, id);
    const isOurs = readdirSync(folder).every((name) => /^\d+\.bytes$/.test(name) || temporaryOwner(name) !== undefined);
    const isOld = this.#clock.now() - statSync(folder).mtimeMs > UNNAMED_AFTER_MS;
    return isOurs && isOld ? [folder] : [];
  }

  /** The files that backups are of, undone or not. */
  paths(): string[] {
    return [...new Set(this.#all().flatMap(({ files }) => files.map(({ path }) => path)))];
  }

  /** Rolls back the written files of a failed change; a file that another program changed meanwhile stays. */
  async takeBack(id: string): Promise<void> {
    const manifest = this.#read(id);
    for (const [index, file] of manifest.files.entries()) {
      if (digestOf(bytesOf(file.path)) === file.sha256_after) await putBack(file, this.#kept(id, file, index));
    }
    await this.#write(id, { ...manifest, restored_at: new Date(this.#clock.now()).toISOString() });
  }

  /** Records that a change is complete, and that these files of it could not be written and are unchanged. */
  async complete(id: string, unwritten: readonly string[]): Promise<void> {
    const { writer: _writer, ...manifest } = this.#read(id);
    const files = manifest.files.map((file) =>
      unwritten.includes(file.path) ? { ...file, written: false as const } : file,
    );
    await this.#write(id, { ...manifest, files });
  }

  /** The change that `restore` would undo next, if its process was killed when it had written some of its files. */
  interrupted(): UndoneCommand | null {
    const next = this.#left([]);
    if (next === null) return null;
    const { writer, files } = this.#read(next.backup);
    if (writer === undefined || !hasEnded(writer)) return null;
    const isWritten = files.map(({ path, sha256_after }) => digestOf(bytesOf(path)) === sha256_after);
    return isWritten.includes(true) && isWritten.includes(false) ? next : null;
  }

  /** Records the process that the change started, so that undoing it ends the process. */
  async noteProcess(id: string, process: StartedProcess): Promise<void> {
    await this.#write(id, { ...this.#read(id), process });
  }

  /**
   * Restores files to the state before the newest `init` or `import` and its later changes, or before one backup. Changes nothing if
   * another program changed a client's file meanwhile, unless forced. A backup of which something stays can be restored again.
   */
  async restore(request: RestoreRequest, { end = async () => false, own }: RestorePorts = {}): Promise<Restored> {
    const chosen = chooseBackups(this.#all(), request.backup);
    const sources = {
      own,
      now: bytesOf,
      before: (undo: FileUndo) => this.#kept(undo.backup, undo.first, undo.index),
      after: (undo: FileUndo) => this.#after(undo.backup, undo.first, undo.index),
    };
    const plan = planRestore(filesToUndo(chosen), sources, request.force);
    const answer = { undone: chosen.map(summaryOf), files: plan.map(restoredFile), left: this.#left(chosen) };
    const isRefused = plan.some(isLeft) && !plan.some(isWriting);
    const process = isRefused ? null : (chosen.find((manifest) => manifest.process)?.process ?? null);
    if (request.dry_run) return { ...answer, process };
    if (isRefused) throw conflict(plan);
    const copy = await this.#copyForced(plan);
    const isEnded = process !== null && (await end(process));
    for (const planned of plan) await write(planned, own);
    const open = plan.filter(isLeft).map(({ undo }) => undo.path);
    for (const manifest of chosen) {
      if (!manifest.files.some(({ path }) => open.includes(path))) await this.#settle(manifest);
    }
    return { ...answer, process: isEnded ? process : null, ...copy };
  }

  /** Copies what a forced restore is about to replace; the copy is a backup, too. */
  async #copyForced(plan: readonly PlannedRestore[]): Promise<Pick<Restored, 'copy'>> {
    const forced = plan.filter(({ isForced }) => isForced);
    if (forced.length === 0) return {};
    const backup = await this.create(
      forced.map(({ undo, content }) => ({ path: undo.path, after: content })),
      'restore',
    );
    return { copy: { backup, folder: join(this.#dir, backup) } };
  }

  /** Undoes the newest change of this file, if it was a `connect` of this file alone and the file is unchanged since. False otherwise. */
  async undoConnect(path: string): Promise<boolean> {
    const newest = this.#all()
      .reverse()
      .find(({ files, restored_at }) => restored_at === null && files.some((file) => file.path === path));
    const isLast = newest?.files.length === 1 && newest.files[0]?.sha256_after === digestOf(bytesOf(path));
    if (newest?.purpose !== 'connect' || !isLast) return false;
    await this.restore({ backup: newest.id, force: false, dry_run: false });
    return true;
  }

  /** The file's content before each `connect` that is not undone, newest first. */
  beforeConnects(path: string): Uint8Array[] {
    return this.#all()
      .reverse()
      .filter(({ purpose, restored_at }) => purpose === 'connect' && restored_at === null)
      .flatMap(({ id, files }) => files.map((file, index) => ({ id, file, index })))
      .flatMap(({ id, file, index }) => (file.path === path ? (this.#kept(id, file, index) ?? []) : []));
  }

  /** Our entry was removed from this file: marks the connects that only added it as undone. */
  async settleConnects(path: string): Promise<void> {
    for (const manifest of this.#all()) {
      const isOnly = manifest.files.every((file) => file.path === path);
      if (manifest.purpose === 'connect' && manifest.restored_at === null && isOnly) await this.#settle(manifest);
    }
  }

  #settle({ id, ...manifest }: NamedManifest): Promise<void> {
    return this.#write(id, { ...manifest, restored_at: new Date(this.#clock.now()).toISOString() });
  }

  /** What one more `restore` would undo, once these are undone. */
  #left(undone: readonly NamedManifest[]): Restored['left'] {
    const others = this.#all().filter(({ id }) => !undone.some((manifest) => manifest.id === id));
    try {
      const [first] = chooseBackups(others, undefined);
      return first ? summaryOf(first) : null;
    } catch (thrown) {
      if (thrown instanceof BinderyError && thrown.code === 'BACKUP_NOT_FOUND') return null;
      throw thrown;
    }
  }

  /** The backed-up bytes; throws if the backup itself was changed. */
  #kept(backup: string, { existed, sha256_before }: BackedUpFile, index: number): Uint8Array | undefined {
    if (!existed) return undefined;
    const bytes = bytesOf(this.#bytesFile(backup, index));
    if (digestOf(bytes) !== sha256_before) throw new BinderyError('BACKUP_INVALID', { detail: backup });
    return bytes;
  }

  /** The bytes that the change wrote; undefined if the backup does not have them. */
  #after(backup: string, { sha256_after }: BackedUpFile, index: number): Uint8Array | undefined {
    const bytes = bytesOf(this.#afterFile(backup, index));
    if (bytes && digestOf(bytes) !== sha256_after) throw new BinderyError('BACKUP_INVALID', { detail: backup });
    return bytes;
  }

  /** Oldest first. */
  #all(): NamedManifest[] {
    const ids = existsSync(this.#dir) ? readdirSync(this.#dir).sort() : [];
    return ids
      .filter((id) => ID.test(id) && existsSync(this.#manifestFile(id)))
      .map((id) => ({ ...this.#read(id), id }));
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
    return writeOwn(this.#manifestFile(id), `${JSON.stringify(manifest, null, 2)}\n`);
  }

  #manifestFile(id: string): string {
    return join(this.#dir, id, 'manifest.json');
  }

  #bytesFile(id: string, index: number): string {
    return join(this.#dir, id, `${index}.bytes`);
  }

  #afterFile(id: string, index: number): string {
    return join(this.#dir, id, `${index}.after.bytes`);
  }
}

function idOf(time: string): string {
  return time.replaceAll(/[-:]/g, '');
}

async function putBack({ path, mode, sha256_before }: BackedUpFile, bytes: Uint8Array | undefined): Promise<void> {
  // Left by a command that was killed while writing.
  await removeAbandoned(path).catch(() => {});
  await asUnwritable(path, async () => {
    if (bytes === undefined) return rmSync(path, { force: true });
    if (digestOf(bytesOf(path)) !== sha256_before) await replaceFile(path, bytes, 0o644);
    if (mode !== null && modeOf(path) !== mode) chmodSync(path, Number.parseInt(mode, 8));
  });
}

/** Writes a file of a backup, readable by its owner only. */
function writeOwn(file: string, content: string | Uint8Array): Promise<void> {
  return asUnwritable(file, () => replaceFile(file, content, 0o600));
}

async function write(planned: PlannedRestore, own: OwnFiles | undefined): Promise<void> {
  const { undo, action, edit, content } = planned;
  if (edit) await own?.replace(undo.path, edit.now, edit.text);
  // An unchanged file may need its mode.
  else if (isWriting(planned)) await putBack(undo.first, content);
  else if (action === 'unchanged' && digestOf(bytesOf(undo.path)) === undo.first.sha256_before)
    await putBack(undo.first, content);
}

function restoredFile({ undo: { path, backup }, action, note }: PlannedRestore): Restored['files'][number] {
  return { path, action, backup, ...(note === undefined ? {} : { note }) };
}

function summaryOf({ id, purpose, created_at }: NamedManifest): Restored['undone'][number] {
  return { backup: id, command: purpose, time: created_at };
}

function conflict(plan: readonly PlannedRestore[]): BinderyError {
  const changed = plan.filter(({ note }) => note?.startsWith(CHANGED));
  const left = changed.length > 0 ? changed : plan.filter(isLeft);
  const detail = left.map(({ undo, note }) => `${undo.path}: ${note}`).join('; ');
  return new BinderyError('RESTORE_CONFLICT', { detail, members: { files: left.map(({ undo }) => undo.path) } });
}

function bytesOf(path: string): Buffer | undefined {
  return readSuppliedFileSync({ path, bytesMax: LIMITS.importFileBytesMax });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8).padStart(4, '0');
}
