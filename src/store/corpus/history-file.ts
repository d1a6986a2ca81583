import { hash } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { SITE_LIMITS } from '../../civic/config.ts';
import type { SiteChange } from '../../civic/site/site-source.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';

/** A head, and the changes that lead to it. */
export interface ReadHistory {
  readonly head: string;
  readonly changes: readonly SiteChange[];
}

/** Changes when the form of the file or the way to read the log changes. */
const FORMAT = 1;

/** Inside the repository: it has what the repository has, and is published nowhere. */
function fileOf(dir: string): string | undefined {
  const isFolder = lstatSync(join(dir, '.git'), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? join(dir, '.git', 'bindery-history.json') : undefined;
}

/** The history that an earlier process kept; undefined if there is none, or if its digest is wrong. */
export function readHistoryFile(dir: string): ReadHistory | undefined {
  const path = fileOf(dir);
  if (path === undefined) return undefined;
  try {
    const bytes = readSuppliedFileSync({ path, bytesMax: SITE_LIMITS.historyBytesMax });
    const text = bytes?.toString('utf8') ?? '';
    const end = text.indexOf('\n');
    const kept = text.slice(end + 1);
    return end > 0 && text.slice(0, end) === digest(kept) ? (JSON.parse(kept) as ReadHistory) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a history for the next process. Without the file the next one reads the whole log. */
export function writeHistoryFile(dir: string, { head, changes }: ReadHistory): void {
  const path = fileOf(dir);
  const kept = JSON.stringify({ head, changes });
  if (path === undefined || kept.length > SITE_LIMITS.historyBytesMax) return;
  try {
    writeFileAtomic.sync(path, `${digest(kept)}\n${kept}`, { fsync: false, mode: 0o600 });
  } catch {
    // A repository that cannot be written to is read as a whole each time.
  }
}

/** Removes the file: it may have the text of an erased submission. */
export function removeHistoryFile(dir: string): void {
  const path = fileOf(dir);
  if (path !== undefined) rmSync(path, { force: true });
}

function digest(kept: string): string {
  return hash('sha256', `${FORMAT}\n${kept}`);
}
