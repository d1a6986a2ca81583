import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { createCacheBuilder } from './build-cache.ts';
import type { BuildStep } from './build-steps.ts';
import { buildFrom, inFolder, snapshot, writeFiles } from './testing/folders.ts';

const FEW = { 'a.md': 'one', 'b.md': 'two', 'c/d.md': 'one', 'e.md': '' };
const MANY = Object.fromEntries(
  Array.from({ length: CONTEXT_LIMITS.buildInlineMax + 50 }, (_, at) => [`${at}.md`, `the text ${at % 900}`]),
);

/** Builds over an old cache while `spoil` meddles with the new folder at a step. */
async function buildSpoiled(
  folder: string,
  files: Record<string, string>,
  at: BuildStep,
  spoil: Spoil,
): Promise<unknown> {
  const sources = writeFiles(join(folder, 'new-sources'), files);
  const builder = createCacheBuilder({ now: () => 0 }, (step) => {
    if (step !== at) return;
    const name = readdirSync(folder).find((each) => each.includes('-new-')) as string;
    const documents = readdirSync(join(folder, name, 'documents')).sort();
    spoil(join(folder, name), ...(documents.map((each) => `documents/${each}`) as [string, string]));
  });
  const request = { sources, cache: join(folder, 'cache'), force: true, incremental: false, gitignore: false };
  return builder.build(request, new AbortController().signal, () => {});
}

type Spoil = (cache: string, first: string, second: string) => void;

const faults: [string, BuildStep, Spoil][] = [
  ['a document is missing', 'documents written', (cache, first) => rmSync(join(cache, first))],
  ['a document is cut off', 'documents written', (cache, first) => truncateSync(join(cache, first), 40)],
  ['a document is empty', 'documents written', (cache, first) => truncateSync(join(cache, first), 0)],
  [
    'a document has another text',
    'documents written',
    (cache, first) => {
      const text = readFileSync(join(cache, first), 'utf8');
      writeFileSync(join(cache, first), text.replace(/("content":".*)","metadata/, '$1!","metadata'));
    },
  ],
  [
    'two documents have changed places',
    'documents written',
    (cache, first, second) => {
      renameSync(join(cache, first), join(cache, 'x'));
      renameSync(join(cache, second), join(cache, first));
      renameSync(join(cache, 'x'), join(cache, second));
    },
  ],
  [
    'a document is a symlink',
    'documents written',
    (cache, first) => {
      renameSync(join(cache, first), join(cache, '../elsewhere.json'));
      symlinkSync(join(cache, '../elsewhere.json'), join(cache, first));
    },
  ],
  [
    'there is a document more',
    'documents written',
    (cache) => writeFileSync(join(cache, 'documents/000000000000.json'), '{}'),
  ],
  ['a document vanishes later', 'manifest written', (cache, first) => rmSync(join(cache, first))],
  ['the index is cut off', 'index written', (cache) => truncateSync(join(cache, 'index.json'), 10)],
  ['the index is missing', 'index written', (cache) => rmSync(join(cache, 'index.json'))],
  ['the postings are cut off', 'postings written', (cache) => truncateSync(join(cache, 'postings.bin'), 10)],
  ['the postings are missing', 'postings written', (cache) => rmSync(join(cache, 'postings.bin'))],
  ['the manifest is cut off', 'manifest written', (cache) => truncateSync(join(cache, 'manifest.json'), 10)],
  ['the manifest is missing', 'manifest written', (cache) => rmSync(join(cache, 'manifest.json'))],
];

test.each(faults)('[context:Z8] a build in which %s fails, and the old cache stays', (_, step, spoil) =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, { 'a.md': 'old' });
    const old = snapshot(cache);
    await expect(buildSpoiled(folder, FEW, step, spoil)).rejects.toMatchObject({
      code: 'io_error',
      detail: expect.stringContaining('of the new cache is not on the disk as it should be'),
      next: expect.stringContaining('build again'),
    });
    expect([snapshot(cache), readdirSync(folder).filter((name) => name.startsWith('.bindery-'))]).toEqual([old, []]);
  }),
);

/** The first document whose file name, or whose text, is like this. */
const spoilOne =
  (isMeant: (file: string, text: string) => boolean): Spoil =>
  (cache, ...documents) => {
    const one = documents.find((file) => isMeant(file, readFileSync(join(cache, file), 'utf8')));
    writeFileSync(join(cache, one as string), '{}');
  };

test.each<[string, Spoil]>([
  ['a document is missing', (cache, first) => rmSync(join(cache, first))],
  ['there is a document more', (cache) => writeFileSync(join(cache, 'documents/000000000000.json'), '{}')],
  ['a document that shares its twelve digits has another text', spoilOne((file) => file.includes('-'))],
  ['the first document has another text', spoilOne((_, text) => text.startsWith('{"id":"0.md"'))],
])('[context:Z8] a build on several threads in which %s fails too', (_, spoil) =>
  inFolder(async (folder) => {
    await expect(buildSpoiled(folder, MANY, 'documents written', spoil)).rejects.toMatchObject({
      code: 'io_error',
      detail: expect.stringMatching(/^documents\/[0-9a-f]{12}(-[0-9a-f]{8})?\.json of the new cache/),
    });
    expect(readdirSync(folder)).toEqual(['new-sources']);
  }),
);

test('[context:Z8] a build in which nothing goes wrong takes its name', () =>
  inFolder(async (folder) => {
    for (const files of [FEW, MANY]) {
      expect(await buildSpoiled(folder, files, 'documents written', () => {})).toMatchObject({
        document_count: Object.keys(files).length,
      });
      rmSync(join(folder, 'new-sources'), { recursive: true });
    }
  }));
