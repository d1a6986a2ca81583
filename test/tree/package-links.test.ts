import { readFileSync } from 'node:fs';
import { join, matchesGlob, posix } from 'node:path';
import { expect, test } from 'vitest';
import { root, trackedFiles } from '../support/repository.ts';

const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: readonly string[] };
/** What npm always packs, and what the list names. */
const isPacked = (path: string) =>
  ['README.md', 'LICENSE', 'package.json'].includes(path) ||
  files.some((entry) => path === entry || path.startsWith(`${entry}/`) || matchesGlob(path, entry));

test('every link between files of the package leads to a file of the package', () => {
  const dead = trackedFiles()
    .filter((path) => path.endsWith('.md') && isPacked(path))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)]
        .map(([, link = '']) => posix.join(posix.dirname(page), link))
        .filter((target) => !isPacked(target))
        .map((target) => `${page} → ${target}`),
    );
  expect(dead).toEqual([]);
});
