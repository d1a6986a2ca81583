import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { FolderSwap } from './swap-folder.ts';

const parents: string[] = [];
afterEach(() => {
  for (const parent of parents.splice(0)) rmSync(parent, { recursive: true, force: true });
});

/** A place for a cache, with an old one in it where that is wanted. */
function place(old?: string): { parent: string; target: string } {
  const parent = mkdtempSync(join(tmpdir(), 'bindery-swap-'));
  parents.push(parent);
  const target = join(parent, 'cache');
  if (old !== undefined) {
    mkdirSync(target);
    writeFileSync(join(target, 'file'), old);
  }
  return { parent, target };
}

function newFolder(target: string): FolderSwap {
  const swap = new FolderSwap(target);
  writeFileSync(join(swap.folder, 'file'), 'new');
  return swap;
}

const contentOf = (target: string) => readFileSync(join(target, 'file'), 'utf8');

test('a new folder takes the place of the old one, of which nothing stays', () => {
  const { parent, target } = place('old');
  const swap = newFolder(target);
  const reached: string[] = [];
  swap.commit(true, (step) => reached.push(step));
  swap.discard();
  expect([contentOf(target), readdirSync(parent), reached]).toEqual([
    'new',
    ['cache'],
    ['old cache moved aside', 'new cache in place', 'old cache removed'],
  ]);
});

test('if the new folder cannot be put in place, the old one is restored, and the new one is removed', () => {
  const { parent, target } = place('old');
  const swap = newFolder(target);
  const commit = () =>
    swap.commit(true, (step) => {
      // What is renamed next is gone.
      if (step === 'old cache moved aside') rmSync(swap.folder, { recursive: true });
    });
  expect(commit).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  swap.discard();
  expect([contentOf(target), readdirSync(parent)]).toEqual(['old', ['cache']]);
});

test('without an old folder, a new one that cannot be put in place leaves nothing', () => {
  const { parent, target } = place();
  const swap = newFolder(target);
  const commit = () => swap.commit(true, () => rmSync(swap.folder, { recursive: true, force: true }));
  expect(commit).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  swap.discard();
  expect(readdirSync(parent)).toEqual([]);
});

test('an old cache that a killed build had moved aside comes back before the next one', () => {
  const { parent, target } = place('old');
  const killed = newFolder(target);
  const kill = () =>
    killed.commit(true, (step) => {
      if (step === 'old cache moved aside') throw new Error('killed');
    });
  expect(kill).toThrow('killed');
  killed.discard();
  const next = newFolder(target);
  expect(contentOf(target)).toBe('old');
  next.commit(true, () => {});
  next.discard();
  expect([contentOf(target), readdirSync(parent)]).toEqual(['new', ['cache']]);
});
