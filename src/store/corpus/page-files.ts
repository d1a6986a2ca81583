import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CORPUS_LIMITS, SITE_LIMITS } from '../../civic/config.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';

const PAGE = /^([a-z0-9-]{1,64}(?:\.(?:en|fr|nl|de|ar|uk))?)\.md$/;

/** The maintainers' own pages: `pages/principles.md`, `pages/policy.fr.md`, by name without extension. */
export function readPageFiles(dir: string): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const file of names(join(dir, 'pages')).slice(0, SITE_LIMITS.pageFilesMax)) {
    const name = PAGE.exec(file)?.[1];
    if (name === undefined) continue;
    const bytes = readSuppliedFileSync({
      path: join(dir, 'pages', file),
      within: dir,
      bytesMax: CORPUS_LIMITS.fileBytesMax,
    });
    if (bytes) pages.set(name, bytes.toString('utf8').replaceAll('\r\n', '\n'));
  }
  return pages;
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}
