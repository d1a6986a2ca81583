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

/** A file before and after a change. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** Our own config: other processes write it too, and it may hold secrets. */
  readonly isConfig?: true;
  /** The file of a client: if it cannot be written, the others are still written. */
  readonly isClient?: true;
}

/**
 * Creates a backup, then writes the files in order, each atomically. If one of ours cannot be written, or a file was changed in the
 * meantime, the earlier ones are restored. A client's file that cannot be written is reported in the answer; if nothing else was
 * written, that is an error.
 */
export async function applyChanges(
  backups: FileBackups,
  changes: readonly FileChange[],
  purpose: 'init' | 'import',
): Promise<Applied> {
  const kept = changes.map(({ path, after, isConfig }) => ({ path, after: Buffer.from(after), isConfig }));
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
    await backups.complete(
      backup,
      unwritten.map(({ path }) => path),
    );
  } catch (thrown) {
    await backups.takeBack(backup);
    throw thrown;
  }
  return { backup, unwritten };
}

/** An unwritable client file is tolerated; every other failure is thrown. */
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

/** Atomically writes a file that is not ours; creates its folder if needed. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await asUnwritable(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, text, 0o644);
  });
}

/**
 * Removes temporary files that killed commands left beside files that are not ours. Skips unreadable folders; `bindery doctor` reports
 * them.
 */
export async function removeLeftovers(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await removeAbandoned(path).catch((thrown: NodeJS.ErrnoException) => {
      if (!/^(?:EACCES|EPERM|EROFS)$/.test(thrown.code ?? '')) throw thrown;
    });
  }
}

/** The text of a file; undefined if there is none. Throws if it is not UTF-8, which could not be restored. */
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

/** Runs work on the text of a file; adds the file's path to errors about the text. */
export function onText<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof BinderyError) || thrown.code !== 'IMPORT_UNREADABLE') throw thrown;
    throw new BinderyError('IMPORT_UNREADABLE', { detail: `${path}: ${thrown.detail}`, cause: thrown });
  }
}

/** A secret that a diff must not show. A short value is masked only after its name, because it may be part of any word. */
export interface ShownSecret {
  readonly value: string;
  readonly name?: string;
}

/** A diff that is safe to display: secrets are masked, and hidden or control characters are escaped. */
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

/** Matches a short value after its name, in JSON or TOML. */
function memberPattern({ name, value }: ShownSecret): RegExp[] {
  if (name === undefined || value === '' || value.length >= KNOWN_SECRET_CHARS_MIN) return [];
  const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const [key, quoted] = [name, JSON.stringify(value)].map(literal);
  return [new RegExp(`((?:^|[\\s"{,+-])${key}"?\\s*[:=]\\s*)${quoted}`, 'g')];
}
