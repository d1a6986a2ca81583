import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { createRedactor, KNOWN_SECRET_CHARS_MIN, MASK } from '../../contract/redact.ts';
import { visibleText } from '../../contract/visible-text.ts';
import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import { asUnwritable, removeAbandoned, replaceFile } from '../../files/replace-file.ts';
import type { Applied, UnwrittenFile } from '../../gateway/administration/deps.ts';
import { updateFile } from '../../host/config/update-file.ts';
import type { FileBackups } from '../../store/import/file-backups.ts';

/** A file as it is, and as it shall be. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** Our own config: other processes write it too, and it may hold secrets. */
  readonly isConfig?: true;
  /** The file of a client: if it cannot be written, the others are written nevertheless. */
  readonly isClient?: true;
}

/**
 * Backup first, then the files in their order, each as a whole. Where one of ours cannot be written, or one was changed meanwhile, those
 * before it are put back. A client's file that cannot be written is named in the answer; if nothing else was written, that is an error.
 */
export async function applyChanges(
  backups: FileBackups,
  changes: readonly FileChange[],
  purpose: 'init' | 'import',
): Promise<Applied> {
  const kept = changes.map(({ path, after }) => ({ path, after: Buffer.from(after) }));
  const backup = await backups.create(kept, purpose);
  const unwritten: UnwrittenFile[] = [];
  try {
    for (const change of changes) {
      const failure = await writeChange(change).catch((thrown: unknown) => toleratedFailure(change, thrown));
      if (failure) unwritten.push({ path: change.path, reason: failure.detail ?? failure.row.title });
    }
    if (unwritten.length > 0 && unwritten.length === changes.length) {
      throw new BinderyError('CONFIG_UNWRITABLE', { detail: unwritten.map(({ reason }) => reason).join(', ') });
    }
    if (unwritten.length > 0)
      await backups.leaveOut(
        backup,
        unwritten.map(({ path }) => path),
      );
  } catch (thrown) {
    await backups.takeBack(backup);
    throw thrown;
  }
  return { backup, unwritten };
}

/** A client's file that cannot be written stops nothing; every other failure does. */
function toleratedFailure({ isClient }: FileChange, thrown: unknown): BinderyError {
  if (isClient && thrown instanceof BinderyError && thrown.code === 'CONFIG_UNWRITABLE') return thrown;
  throw thrown;
}

async function writeChange({ path, before, after, isConfig }: FileChange): Promise<void> {
  const checked = () => {
    if (readSource(path) !== before) throw new BinderyError('IMPORT_CONFLICT', { detail: path });
    return after;
  };
  if (isConfig) return updateFile(path, checked, { mode: 0o600 });
  await writeWhole(path, checked());
}

/** Writes a file that is not ours, and its folder if that is missing: a reader finds the old bytes or the new ones. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await asUnwritable(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, text, 0o644);
  });
}

/** Removes what commands that were killed left beside files that are not ours. A folder that cannot be read keeps it: the doctor says so. */
export async function removeLeftovers(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await removeAbandoned(path).catch((thrown: NodeJS.ErrnoException) => {
      if (!/^(?:EACCES|EPERM|EROFS)$/.test(thrown.code ?? '')) throw thrown;
    });
  }
}

/** The text of a file; undefined where there is none. What is not UTF-8 could not be put back together. */
export function readSource(path: string): string | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readSuppliedFileSync({ path, bytesMax: LIMITS.importFileBytesMax });
  } catch (cause) {
    throw new BinderyError('IMPORT_UNREADABLE', { detail: `${path}: ${refusalReason(cause)}`, cause });
  }
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes))
    throw new BinderyError('IMPORT_UNREADABLE', { detail: `${path}: it is not UTF-8` });
  return text;
}

/** Runs work on the text of a file; what is wrong with the text is said with the file's path. */
export function onText<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof BinderyError) || thrown.code !== 'IMPORT_UNREADABLE') throw thrown;
    throw new BinderyError('IMPORT_UNREADABLE', { detail: `${path}: ${thrown.detail}`, cause: thrown });
  }
}

/** What a diff must not show. A value of few characters is masked behind its name alone: it may be a part of any word. */
export interface ShownSecret {
  readonly value: string;
  readonly name?: string;
}

/** What would change, for eyes and terminals that others may see: secrets are masked, and what a terminal hides or obeys is written out. */
export function maskedDiff(changes: readonly FileChange[], secrets: readonly ShownSecret[]): string {
  const redactor = createRedactor(secrets.map(({ value }) => value));
  const members = secrets.flatMap(memberPattern);
  const masked = (line: string) => members.reduce((left, pattern) => left.replaceAll(pattern, `$1"${MASK}"`), line);
  return changes
    .map(({ path, before, after }) =>
      createTwoFilesPatch(path, path, before ?? '', after, '', '', { context: 2 })
        .split('\n')
        .filter((line) => !/^=+$/.test(line))
        .map((line) => line.replace(/\r$/, ''))
        .map((line) => visibleText(redactor.text(masked(line))))
        .join('\n'),
    )
    .join('');
}

/** A short value where it stands behind its name, in JSON or TOML. */
function memberPattern({ name, value }: ShownSecret): RegExp[] {
  if (name === undefined || value === '' || value.length >= KNOWN_SECRET_CHARS_MIN) return [];
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const [key, quoted] = [name, JSON.stringify(value)].map(literal);
  return [new RegExp(`((?:^|[\\s"{,+-])${key}"?\\s*[:=]\\s*)${quoted}`, 'g')];
}
