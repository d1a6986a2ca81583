import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { exportSite, SITE_RECORD, type SiteRecord } from '../../civic/site/export-site.ts';
import type { SiteSource } from '../../civic/site/site-source.ts';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';

/** Files written at once: creating a file waits for the disk longer than for the processor. */
const FILES_AT_ONCE = 8;
const RECORD_BYTES_MAX = 64 * 1024 * 1024;
/** A valid page path: nothing outside the folder is written or removed. */
const PAGE_PATH = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/-]*$/;

export interface WrittenSite {
  readonly pages: number;
  readonly written: number;
  readonly removed: number;
}

/** Writes the site into a folder, or updates the copy in it. Refuses a folder with other files, which would mix with the site. */
export async function writeSite(out: string, site: SiteSource): Promise<WrittenSite> {
  const before = readRecord(out);
  const { changed, removed, record } = exportSite(site, before);
  mkdirSync(out, { recursive: true });
  // After an interruption the next run rewrites pages with an empty key.
  const begun = Object.fromEntries(changed.map(({ path }) => [path, '']));
  writeRecord(out, { ...before, ...begun });
  for (const folder of new Set(changed.map(({ path }) => dirname(join(out, path)))))
    mkdirSync(folder, { recursive: true });
  const pages = changed.values();
  const writer = async () => {
    for (const { path, render } of pages) await writeFile(join(out, path), render());
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, writer));
  for (const path of removed) if (PAGE_PATH.test(path)) rmSync(join(out, path), { force: true });
  writeRecord(out, record);
  return { pages: Object.keys(record).length, written: changed.length, removed: removed.length };
}

function writeRecord(out: string, record: SiteRecord): void {
  // No fsync: after a crash the copy is made again.
  writeFileAtomic.sync(join(out, SITE_RECORD), `${JSON.stringify(record)}\n`, { fsync: false });
}

function readRecord(out: string): SiteRecord {
  const bytes = readSuppliedFileSync({ path: join(out, SITE_RECORD), bytesMax: RECORD_BYTES_MAX });
  if (bytes) {
    return JSON.parse(bytes.toString('utf8')) as SiteRecord;
  }
  if (!isEmpty(out)) {
    throw new BinderyError('USAGE', {
      detail: `"${out}" holds files that are not a copy of a site`,
      next: 'Name an empty folder, or one that this command wrote.',
    });
  }
  return {};
}

function isEmpty(dir: string): boolean {
  try {
    return readdirSync(dir).length === 0;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw thrown;
  }
}
