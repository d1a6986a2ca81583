import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { lateLibrary, loadLateLibraries } from './late-library.ts';

const { cache, resolve } = createRequire(import.meta.url);
const isLoaded = (name: string) => resolve(name) in cache;

test('a library is loaded where it is first used, and once', () => {
  const library = lateLibrary<typeof import('proper-lockfile')>('proper-lockfile');
  const before = isLoaded('proper-lockfile');
  const first = library();
  expect([before, isLoaded('proper-lockfile'), library() === first]).toEqual([false, true, true]);
});

test('what nobody used yet is loaded one library a turn', async () => {
  lateLibrary('jsonc-parser');
  lateLibrary('ignore');
  const seen: boolean[][] = [];
  await loadLateLibraries(async () => {
    seen.push(['jsonc-parser', 'ignore'].map(isLoaded));
  });
  expect([...seen, ['jsonc-parser', 'ignore'].map(isLoaded)]).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});
