import { posix } from 'node:path';
import type { ArgumentFiles } from '../argument-places.ts';

/** A file system without links, for tests: `odd` are the names that exist in the working directory. */
export function plainFiles(cwd: ArgumentFiles['cwd'] = '/srv/project', odd: readonly string[] = []): ArgumentFiles {
  const home = '/home/me';
  return {
    cwd,
    home,
    root: (written) => posix.resolve('/srv/project', written.startsWith('~') ? `${home}${written.slice(1)}` : written),
    open: (path) => [posix.resolve('/', path)],
    exists: (path) => odd.some((name) => path === `${cwd}/${name}`),
  };
}
