import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveResolve } from '../../../test/naive/context.ts';
import { resolveContext } from '../../context/resolve-context.ts';
import { encodeSelection } from '../../context/selection-result.ts';
import { anyDocuments, anyText } from '../../context/testing/arbitraries.ts';
import { createCaches } from './caches.ts';
import { cachesByPath, cachesUnderRoot } from './locate-cache.ts';
import { build, buildFrom, inFolder, snapshot, writeFiles } from './testing/folders.ts';

const signal = new AbortController().signal;

async function resolveIn(cache: string, query: string, budget: number, caches = createCaches(cachesByPath())) {
  return encodeSelection(await caches.read(cache, (open) => resolveContext(open, query, budget, signal)));
}

function withoutPostings(cache: string): string {
  const slow = `${cache}-slow`;
  cpSync(cache, slow, { recursive: true });
  rmSync(join(slow, 'postings.bin'));
  return slow;
}

test('[context:S3] [context:S4] [context:S5] [context:S7] [context:Z3] [context:Z7] any cache answers any query like the naive model, with postings and without', async () => {
  const question = fc.record({ query: anyText, budget: fc.oneof(fc.nat(12), fc.nat(60), fc.constant(2 ** 53 - 1)) });
  await fc.assert(
    fc.asyncProperty(anyDocuments, fc.array(question, { minLength: 1, maxLength: 6 }), (documents, questions) =>
      inFolder(async (folder) => {
        const cache = await buildFrom(
          folder,
          Object.fromEntries(documents.map(({ name, content }) => [name, content])),
        );
        const slow = withoutPostings(cache);
        const naive = documents.map(({ name, content }) => ({ id: name.toLowerCase(), content }));
        for (const { query, budget } of questions) {
          const expected = naiveResolve(naive, query, budget);
          expect(await resolveIn(cache, query, budget)).toBe(expected);
          expect(await resolveIn(slow, query, budget)).toBe(expected);
        }
      }),
    ),
    { numRuns: 60 },
  );
});

test('[context:Z3] a term that the query repeats counts once and is echoed twice', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, { 'a.md': 'guide guide.' });
    expect(JSON.parse(await resolveIn(cache, 'Guide guide', 9)).documents[0]).toMatchObject({
      score: 0.5,
      why: { query_terms: ['guide', 'guide'], term_matches: 1, total_words: 2 },
    });
  }));

const SOURCES = { 'a.md': 'alpha beta', 'b.md': 'beta gamma', 'sub/c.md': 'alpha' };
const firstFile = (cache: string) => join(cache, JSON.parse(readFileSync(join(cache, 'index.json'), 'utf8'))['a.md']);

const faults: [string, string, (cache: string, folder: string) => unknown][] = [
  ['an absent folder', 'cache_missing', (cache) => rmSync(cache, { recursive: true })],
  [
    'a file in its place',
    'cache_missing',
    (cache) => {
      rmSync(cache, { recursive: true });
      writeFileSync(cache, '');
    },
  ],
  ['no manifest', 'cache_invalid', (cache) => rmSync(join(cache, 'manifest.json'))],
  ['half a manifest', 'cache_invalid', (cache) => truncateSync(join(cache, 'manifest.json'), 300)],
  ['an empty manifest', 'cache_invalid', (cache) => truncateSync(join(cache, 'manifest.json'), 0)],
  [
    'another version in its manifest',
    'cache_invalid',
    (cache) => edit(join(cache, 'manifest.json'), (text) => text.replace(/sha256:[0-9a-f]/, 'sha256:x')),
  ],
  [
    '[context:Z9] a manifest that points outside',
    'cache_invalid',
    (cache) => edit(join(cache, 'manifest.json'), (text) => text.replace('documents/', '../outside/')),
  ],
  [
    '[context:Z9] a manifest that is a symlink',
    'cache_invalid',
    (cache, folder) => {
      renameSync(join(cache, 'manifest.json'), join(folder, 'elsewhere.json'));
      symlinkSync(join(folder, 'elsewhere.json'), join(cache, 'manifest.json'));
    },
  ],
  [
    'a manifest that is a folder',
    'cache_invalid',
    (cache) => {
      rmSync(join(cache, 'manifest.json'));
      mkdirSync(join(cache, 'manifest.json'));
    },
  ],
  [
    'a manifest that is a pipe',
    'cache_invalid',
    (cache) => {
      rmSync(join(cache, 'manifest.json'));
      execFileSync('mkfifo', [join(cache, 'manifest.json')]);
    },
  ],
  ['a document less', 'cache_invalid', (cache) => rmSync(firstFile(cache))],
  ['half a document', 'cache_invalid', (cache) => truncateSync(firstFile(cache), 40)],
  [
    'a changed document',
    'cache_invalid',
    (cache) => edit(firstFile(cache), (text) => text.replace('alpha beta', 'alpha gamma')),
  ],
  [
    'a document that claims another version',
    'cache_invalid',
    (cache) => edit(firstFile(cache), (text) => text.replace(/sha256:[0-9a-f]{4}/, 'sha256:0000')),
  ],
  [
    '[context:Z9] a document that is a symlink',
    'cache_invalid',
    (cache, folder) => {
      const file = firstFile(cache);
      renameSync(file, join(folder, 'elsewhere.json'));
      symlinkSync(join(folder, 'elsewhere.json'), file);
    },
  ],
  [
    '[context:Z9] documents in a symlinked folder',
    'cache_invalid',
    (cache, folder) => {
      renameSync(join(cache, 'documents'), join(folder, 'elsewhere'));
      symlinkSync(join(folder, 'elsewhere'), join(cache, 'documents'));
    },
  ],
  ['[context:Z7] half of its postings', 'cache_invalid', (cache) => truncateSync(join(cache, 'postings.bin'), 70)],
  [
    '[context:Z7] postings that were changed',
    'cache_invalid',
    (cache) => edit(join(cache, 'postings.bin'), (text) => text.replace('gamma', 'gammb')),
  ],
  [
    '[context:Z7] the postings of another cache',
    'cache_invalid',
    async (cache, folder) => {
      const other = await buildFrom(join(folder, 'other'), { 'x.md': 'y' });
      cpSync(join(other, 'postings.bin'), join(cache, 'postings.bin'));
    },
  ],
  [
    '[context:Z7] the postings of another cache, and a manifest that names them',
    'cache_invalid',
    async (cache, folder) => {
      const other = await buildFrom(join(folder, 'other'), { 'a.md': 'x', 'b.md': 'y', 'c.md': 'z' });
      cpSync(join(other, 'postings.bin'), join(cache, 'postings.bin'));
      const sha256 = JSON.parse(readFileSync(join(other, 'manifest.json'), 'utf8')).postings.sha256;
      edit(join(cache, 'manifest.json'), (text) => text.replace(/"sha256": "[0-9a-f]{64}"/, `"sha256": "${sha256}"`));
    },
  ],
];

test.each(faults)(
  '[context:Z1] [context:Z7b] [context:M11] resolve on a cache with %s is %s, without details of the machine',
  (_, code, damage) =>
    inFolder(async (folder) => {
      const cache = await buildFrom(folder, SOURCES);
      const warm = createCaches(cachesByPath());
      await resolveIn(cache, 'alpha', 100, warm);
      await damage(cache, folder);
      for (const caches of [warm, createCaches(cachesByPath())]) {
        const failed = await resolveIn(cache, 'alpha', 100, caches).catch((error) => error);
        expect(failed).toMatchObject({ code });
        expect(failed.message).not.toMatch(/\/|sha256|ENO|E[A-Z]{4}|[0-9a-f]{8}/);
      }
    }),
);

test('[context:C5] resolve reads no index', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const expected = await resolveIn(cache, 'alpha', 100);
    rmSync(join(cache, 'index.json'));
    expect(await resolveIn(cache, 'alpha', 100)).toBe(expected);
  }));

test('a running server answers from a new cache as soon as it is in place', () =>
  inFolder(async (folder) => {
    const caches = createCaches(cachesByPath());
    for (let round = 0; round < 5; round++) {
      const files = { 'a.md': `round ${round}`, 'b.md': 'alpha' };
      const cache = await buildFrom(folder, files, { force: true });
      const naive = Object.entries(files).map(([id, content]) => ({ id, content }));
      expect(await resolveIn(cache, 'alpha', 100, caches)).toBe(naiveResolve(naive, 'alpha', 100));
      expect(await resolveIn(cache, 'round', 100, caches)).toBe(naiveResolve(naive, 'round', 100));
    }
  }));

test('a cache that is replaced in the middle of a resolve is resolved again', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, { 'a.md': 'old' });
    let attempts = 0;
    const text = await createCaches(cachesByPath()).read(cache, async (open) => {
      if (attempts++ === 0) await buildFrom(folder, { 'a.md': 'new' }, { force: true });
      return encodeSelection(await resolveContext(open, 'new', 10, signal));
    });
    expect([text, attempts]).toEqual([naiveResolve([{ id: 'a.md', content: 'new' }], 'new', 10), 2]);
  }));

test('[context:M10] a resolve that is aborted stops between documents', () =>
  inFolder(async (folder) => {
    const cache = withoutPostings(await buildFrom(folder, SOURCES));
    const stop = new AbortController();
    const resolving = createCaches(cachesByPath()).read(cache, (open) => resolveContext(open, 'x', 9, stop.signal));
    stop.abort(new Error('stop'));
    await expect(resolving).rejects.toThrow('stop');
  }));

test('[context:M6] [context:M7] names cannot leave the root; nested names and links inside of it work', () =>
  inFolder(async (folder) => {
    const root = join(folder, 'root');
    await build({ sources: writeFiles(join(folder, 'sources'), SOURCES), cache: join(root, 'one') });
    await build({ sources: join(folder, 'sources'), cache: join(root, 'nested', 'two') });
    await build({ sources: join(folder, 'sources'), cache: join(folder, 'outside') });
    writeFiles(root, { 'file.txt': '' });
    symlinkSync(join(root, 'one'), join(root, 'link'));
    symlinkSync(join(folder, 'outside'), join(root, 'escape'));
    mkdirSync(join(root, '.bindery-000000000000-new-1-00000000'));
    const caches = createCaches(cachesUnderRoot(root));
    const code = (name: string) =>
      caches.summarize(name).then(
        ({ valid }) => valid,
        ({ code }) => code,
      );
    const names = ['one', 'nested/two', 'link', 'nested', '', '.'];
    expect(await Promise.all(names.map(code))).toEqual([true, true, true, false, false, false]);
    const wrong = ['../outside', '..', 'a..b', '/one', '\\one', 'escape', 'none', 'file.txt', 'one\0', 'x'.repeat(300)];
    expect(await Promise.all(wrong.map(code))).toEqual(wrong.map(() => 'cache_missing'));
    expect(await caches.list()).toEqual({
      caches: [
        { path: 'nested', has_manifest: false },
        { path: 'one', has_manifest: true },
      ],
    });
    await expect(createCaches(cachesUnderRoot(join(folder, 'none'))).list()).rejects.toMatchObject({
      code: 'cache_missing',
    });
  }));

test('[context:X2] [context:M8] inspect counts document files for the command, manifest and index for a server', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const files = snapshot(cache);
    const { cache_version } = JSON.parse(readFileSync(join(cache, 'manifest.json'), 'utf8'));
    const documentBytes = Object.entries(files).reduce(
      (sum, [path, text]) => sum + (path.startsWith('documents/') ? text.length : 0),
      0,
    );
    const manifestBytes =
      readFileSync(join(cache, 'manifest.json')).length + readFileSync(join(cache, 'index.json')).length;
    const caches = createCaches(cachesByPath());
    const whole = { cache_version, document_count: 3, valid: true };
    expect(await caches.inspect(cache)).toEqual({ ...whole, total_bytes: documentBytes });
    expect(await caches.summarize(cache)).toEqual({ ...whole, total_bytes: manifestBytes });
    const size = readFileSync(firstFile(cache)).length;
    rmSync(firstFile(cache));
    expect(await caches.inspect(cache)).toEqual({ ...whole, total_bytes: documentBytes - size, valid: false });
    writeFileSync(join(cache, 'manifest.json'), '{}');
    expect(await caches.summarize(cache)).toEqual({
      cache_version: '',
      document_count: 0,
      total_bytes: 0,
      valid: false,
    });
    await expect(caches.inspect(cache)).rejects.toMatchObject({ code: 'cache_invalid' });
  }));

test.each([
  [
    'postings that were changed',
    'postings.bin',
    (path: string) => edit(path, (text) => text.replace('gamma', 'gammb')),
  ],
  ['missing postings', 'postings.bin', (path: string) => rmSync(path)],
  [
    'a search index that was changed',
    'search.bin',
    (path: string) => edit(path, (text) => text.replace('gamma', 'gammb')),
  ],
  ['half a search index', 'search.bin', (path: string) => truncateSync(path, 300)],
  ['a missing search index', 'search.bin', (path: string) => rmSync(path)],
])('[context:X2] inspect does not call a cache valid with %s', (_, name, damage) =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const caches = createCaches(cachesByPath());
    const whole = await caches.inspect(cache);
    damage(join(cache, name));
    expect(await caches.inspect(cache)).toEqual({ ...whole, valid: false });
  }),
);

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'latin1');
  const after = change(before);
  if (after === before) throw new Error('the edit changed nothing');
  writeFileSync(path, after, 'latin1');
}
