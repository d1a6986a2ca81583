import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository, with its slash. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files that git tracks, or would track, below a folder. */
export function trackedFiles(folder = '.'): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  return [...new Set(listed.split('\n'))].filter((file) => file !== '' && existsSync(`${root}${file}`)).sort();
}

/** TypeScript files below a folder. */
export function sourceFiles(folder: string): string[] {
  return trackedFiles(folder).filter((file) => file.endsWith('.ts'));
}
