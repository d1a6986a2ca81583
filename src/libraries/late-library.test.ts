import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { late, lateLibrary, loadLateLibraries } from './late-library.ts';

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

test('what is made in steps pauses between them, and is whole where it is used before the last', async () => {
  const steps: string[] = [];
  const make = late(function* () {
    steps.push('first');
    yield;
    steps.push('second');
    yield;
    return steps.push('third');
  });
  const turns: number[] = [];
  await loadLateLibraries(async () => {
    turns.push(steps.length);
    if (steps.length === 1) make();
  });
  expect([steps, turns, make()]).toEqual([['first', 'second', 'third'], [0, 1], 3]);
});

test('what could not be made is tried again when it is used again', () => {
  let tries = 0;
  const make = late<number>(function* () {
    yield;
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  expect([make].map((get) => [attempt(get), attempt(get), attempt(get)])).toEqual([['not yet', 2, 2]]);
});

test.each([['undici', 'undici', 11]])(
  'the large library %s is loaded part by part, and each part brings something',
  async (name, folder, turns) => {
    const files = () => Object.keys(cache).filter((file) => file.includes(`/node_modules/${folder}/`));
    for (const file of files()) delete cache[file];
    lateLibrary(name);
    const loaded = new Set<number>();
    await loadLateLibraries(async () => void loaded.add(files().length));
    expect([loaded.has(0), loaded.size, loaded.has(files().length)]).toEqual([true, turns, false]);
  },
);

function attempt(get: () => unknown): unknown {
  try {
    return get();
  } catch (error) {
    return (error as Error).message;
  }
}
