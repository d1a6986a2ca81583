import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { createRedactor } from '../../contract/redact.ts';
import { visibleText } from '../../contract/visible-text.ts';
import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import { updateFile } from '../../host/config/update-file.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import type { FileBackups } from '../../store/import/file-backups.ts';

const writeFileAtomic = lateLibrary<typeof import('write-file-atomic')>('write-file-atomic');

/** A file as it is, and as it shall be. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string;
  /** Our own config: other processes write it too, and it may hold secrets. */
  readonly isConfig?: true;
}

/**
 * Backup first, then the files in their order, each as a whole. Where one cannot be written, or was changed meanwhile, those before it
 * are put back. Gives the backup's id.
 */
export async function applyChanges(
  backups: FileBackups,
  changes: readonly FileChange[],
  purpose: 'init' | 'import',
): Promise<string> {
  const kept = changes.map(({ path, after }) => ({ path, after: Buffer.from(after) }));
  const backup = await backups.create(kept, purpose);
  try {
    for (const change of changes) await writeChange(change);
  } catch (thrown) {
    await backups.takeBack(backup);
    throw thrown;
  }
  return backup;
}

async function writeChange({ path, before, after, isConfig }: FileChange): Promise<void> {
  const checked = () => {
    if (readSource(path) !== before) throw new BinderyError('IMPORT_CONFLICT', { detail: path });
    return after;
  };
  if (isConfig) return updateFile(path, checked, { mode: 0o600 });
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic()(path, checked());
}

/** The text of a file; undefined where there is none. What is not UTF-8 could not be put back together. */
export function readSource(path: string): string | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readSuppliedFileSync({ path, bytesMax: LIMITS.importFileBytesMax });
  } catch (cause) {
    throw new BinderyError('IMPORT_UNREADABLE', { detail: `${path} cannot be opened: ${refusalReason(cause)}`, cause });
  }
  if (bytes === undefined) return undefined;
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) throw new BinderyError('IMPORT_UNREADABLE', { detail: 'it is not UTF-8' });
  return text;
}

/** What would change, for eyes and terminals that others may see: secrets are masked, and what a terminal hides or obeys is written out. */
export function maskedDiff(changes: readonly FileChange[], secrets: readonly string[]): string {
  const redactor = createRedactor([...secrets]);
  return changes
    .map(({ path, before, after }) =>
      createTwoFilesPatch(path, path, before ?? '', after, '', '', { context: 2 })
        .split('\n')
        .filter((line) => !/^=+$/.test(line))
        .map((line) => line.replace(/\r$/, ''))
        .map((line) => visibleText(redactor.text(line)))
        .join('\n'),
    )
    .join('');
}
