import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naiveCacheVersion, naiveCompare, naiveFiles, naiveVersion } from '../../../test/naive/context.ts';
import { CONTEXT_LIMITS } from '../../context/limits.ts';
import { anyDocuments } from '../../context/testing/arbitraries.ts';
import { FolderSwap } from './swap-folder.ts';
import { build, buildFrom, inFolder, snapshot, writeFiles } from './testing/folders.ts';
import { verifyFolder } from './verify-cache.ts';

const idsIn = (cache: string) => Object.keys(JSON.parse(snapshot(cache)['index.json'] as string));
const leftovers = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.bindery-'));

test('[context:C1] [context:C2] [context:D3] [context:D6] [context:Z4] any sources give the cache that the naive model describes', async () => {
  await fc.assert(
    fc.asyncProperty(anyDocuments, (documents) =>
      inFolder(async (folder) => {
        const files = Object.fromEntries(documents.map(({ name, content }) => [name, content]));
        const cache = await buildFrom(folder, files);
        const naive = documents.map(({ name, content }) => ({ id: name.toLowerCase(), content }));
        const named = naiveFiles(naive);
        const sorted = [...naive].sort((left, right) => naiveCompare(left.id, right.id));
        const written = snapshot(cache);
        const manifest = JSON.parse(Buffer.from(written['manifest.json'] as string, 'latin1').toString());
        expect(manifest).toMatchObject({
          cache_version: naiveCacheVersion(naive),
          document_count: naive.length,
          documents: sorted.map(({ id, content }) => ({ id, version: naiveVersion(content), file: named.get(id) })),
        });
        const expected = documents.map(({ name, content }) => {
          const id = name.toLowerCase();
          const document = { id, version: naiveVersion(content), source: name, content, metadata: {} };
          return [named.get(id), Buffer.from(JSON.stringify(document)).toString('latin1')];
        });
        const { 'manifest.json': _, 'index.json': __, 'postings.bin': ___, 'search.bin': ____, ...rest } = written;
        expect(rest).toEqual(Object.fromEntries(expected));
      }),
    ),
    { numRuns: 40 },
  );
});

test('[context:D1] only files with the extension md are ingested, hidden ones too, and symlinked files but not folders', () =>
  inFolder(async (folder) => {
    const outside = writeFiles(join(folder, 'outside'), { 'x.md': 'o', 'deep/x.md': 'x' });
    const sources = writeFiles(join(folder, 'sources'), {
      'a.md': 'a',
      'B.MD': 'b',
      'c.markdown': 'c',
      '.md': 'd',
      '.e.md': 'e',
      '.git/f.md': 'f',
      'node_modules/g.md': 'g',
      'h.txt': 'h',
    });
    symlinkSync('a.md', join(sources, 'link.md'));
    symlinkSync(join(outside, 'x.md'), join(sources, 'out.md'));
    symlinkSync(outside, join(sources, 'folder'));
    symlinkSync('.git', join(sources, 'inside'));
    symlinkSync(join(folder, 'nothing'), join(sources, 'no-source'));
    symlinkSync(join(folder, 'nothing'), join(sources, 'dangling.md'));
    mkdirSync(join(sources, 'directory.md'));
    const report = await build({ sources, cache: join(folder, 'cache') });
    // Links out of the sources or to nothing are not followed; what was left out is counted.
    expect(report.left_out).toEqual({ markdown: 2, links: 3 });
    expect(idsIn(join(folder, 'cache'))).toEqual(['.e.md', '.git/f.md', 'a.md', 'link.md', 'node_modules/g.md']);
  }));

test('[context:Z10] with --gitignore, files that .gitignore names stay out, upper and lower case apart, and deeper files decide', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(
      folder,
      {
        '.gitignore': 'drafts/\n*.tmp.md\n!keep.tmp.md\na2.md\n',
        'a.md': '1',
        'b.tmp.md': '2',
        'keep.tmp.md': '3',
        'drafts/c.md': '4',
        'sub/.gitignore': '!d.tmp.md\n/e.md\n',
        'sub/d.tmp.md': '5',
        'sub/e.md': '6',
        'sub/deep/e.md': '7',
        'A2.md': '9',
        '.git/f.md': '8',
      },
      { gitignore: true },
    );
    expect(idsIn(cache)).toEqual(['a.md', 'a2.md', 'keep.tmp.md', 'sub/d.tmp.md', 'sub/deep/e.md']);
  }));

test('[context:C4] [context:Z10] a second build and an incremental one give the same bytes, and reuse what did not change', () =>
  inFolder(async (folder) => {
    const before = { 'a.md': 'one', 'b.md': 'two', 'c.md': 'one', 'd.md': 'four' };
    const after = { 'a.md': 'one', 'b.md': 'changed', 'c.md': 'one', 'aa.md': 'one' };
    const full = snapshot(await buildFrom(join(folder, 'full'), after));
    expect(snapshot(await buildFrom(join(folder, 'again'), after))).toEqual(full);
    const cache = await buildFrom(join(folder, 'step'), before);
    const kept = statSync(join(cache, JSON.parse(full['index.json'] as string)['a.md'])).ino;
    await buildFrom(join(folder, 'step'), after, { incremental: true });
    expect(snapshot(cache)).toEqual(full);
    expect(statSync(join(cache, JSON.parse(full['index.json'] as string)['a.md'])).ino).toBe(kept);
    expect(leftovers(join(folder, 'step'))).toEqual([]);
  }));

const MANY = CONTEXT_LIMITS.buildInlineMax + 50;
const manyFiles = () =>
  Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`${at}.md`, `the text ${at % 900}`]));

test.each([
  ['few documents', { 'a.md': 'one', 'b.md': 'one', 'C.md': 'two', 'empty.md': '' }],
  ['many documents', manyFiles()],
])('[context:Z10] an incremental build of %s that did not change leaves the cache as it is', (_, files) =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, files);
    const [before, { ino }] = [snapshot(cache), statSync(cache)];
    await buildFrom(folder, files, { incremental: true });
    expect([snapshot(cache), statSync(cache).ino, leftovers(folder)]).toEqual([before, ino, []]);
  }),
);

test.each([
  ['a document with other text', (cache: string, file: string) => writeFileSync(join(cache, file), '{}')],
  ['a document less', (cache: string, file: string) => rmSync(join(cache, file))],
  ['a document more', (cache: string) => writeFileSync(join(cache, 'documents', '000000000000.json'), '{}')],
  ['another index', (cache: string) => writeFileSync(join(cache, 'index.json'), '{}')],
  ['no index', (cache: string) => rmSync(join(cache, 'index.json'))],
  ['no postings', (cache: string) => rmSync(join(cache, 'postings.bin'))],
  ['other postings', (cache: string) => writeFileSync(join(cache, 'postings.bin'), 'x')],
  ['no manifest', (cache: string) => rmSync(join(cache, 'manifest.json'))],
  [
    'a manifest of another layout',
    (cache: string) => {
      const file = join(cache, 'manifest.json');
      writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
    },
  ],
  [
    'a symlink for a document',
    (cache: string, file: string) => {
      renameSync(join(cache, file), join(cache, '..', 'elsewhere.json'));
      symlinkSync(join(cache, '..', 'elsewhere.json'), join(cache, file));
    },
  ],
] as const)('[context:Z10] an incremental build of the same sources repairs a cache with %s', (_, spoil) =>
  inFolder(async (folder) => {
    for (const files of [{ 'a.md': 'one', 'b.md': 'two' }, manyFiles()]) {
      rmSync(join(folder, 'cache'), { recursive: true, force: true });
      const cache = await buildFrom(folder, files);
      const full = snapshot(cache);
      spoil(cache, Object.values(JSON.parse(full['index.json'] as string))[1] as string);
      await buildFrom(folder, files, { incremental: true });
      expect(snapshot(cache)).toEqual(full);
    }
  }),
);

test('[context:Z10] an incremental build repairs a document file that was changed', () =>
  inFolder(async (folder) => {
    const files = { 'a.md': 'one', 'b.md': 'two' };
    const cache = await buildFrom(folder, files);
    const full = snapshot(cache);
    writeFileSync(join(cache, JSON.parse(full['index.json'] as string)['a.md']), 'x');
    await buildFrom(folder, files, { incremental: true });
    expect(snapshot(cache)).toEqual(full);
  }));

test('[context:C4] [context:Z4] a build on several threads gives the same bytes as one on a single thread', () =>
  inFolder(async (folder) => {
    const count = CONTEXT_LIMITS.buildInlineMax + 200;
    const text = (index: number) => (index % 3 === 0 ? 'the same' : `document ${index} of many`);
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${index % 7}/${index}.md`, text(index)]),
    );
    const cache = await buildFrom(folder, files);
    const naive = Object.entries(files).map(([id, content]) => ({ id, content }));
    expect(JSON.parse(snapshot(cache)['index.json'] as string)).toEqual(Object.fromEntries(naiveFiles(naive)));
    const once = snapshot(cache);
    // Verifying counts the words of all documents again, on one thread.
    expect((await verifyFolder(cache, new AbortController().signal, () => {})).problems).toEqual([]);
    await build({ sources: join(folder, 'sources'), cache, force: true });
    expect(snapshot(cache)).toEqual(once);
  }));

const failures: [string, string, (folder: string) => Promise<unknown>][] = [
  ['absent sources', 'io_error', (folder) => build({ sources: join(folder, 'none'), cache: join(folder, 'cache') })],
  [
    'sources that are a file',
    'io_error',
    (folder) => build({ sources: join(writeFiles(folder, { 'x.md': '' }), 'x.md'), cache: join(folder, 'cache') }),
  ],
  [
    '[context:D5] two sources with one id',
    'cache_invalid',
    (folder) => buildFrom(folder, { 'A.md': '1', 'a.md': '2' }),
  ],
  [
    '[context:D5] two names that a backslash makes equal',
    'cache_invalid',
    (folder) => buildFrom(folder, { 'a/b.md': '1', 'a\\b.md': '2' }),
  ],
  [
    '[context:D4] a source that is not UTF-8',
    'io_error',
    (folder) => buildFrom(folder, { 'a.md': 'fine', 'b.md': Uint8Array.of(0x61, 0xff) }),
  ],
  [
    '[context:D4] one of many sources that is not UTF-8',
    'io_error',
    (folder) =>
      buildFrom(folder, {
        ...Object.fromEntries(
          Array.from({ length: CONTEXT_LIMITS.buildInlineMax }, (_, index) => [`${index}.md`, 'x']),
        ),
        'b.md': Uint8Array.of(0xff),
      }),
  ],
];

test.each(failures)('[context:X5] [context:Z8] %s is %s, and nothing is left behind', (_, code, run) =>
  inFolder(async (folder) => {
    await expect(run(folder)).rejects.toMatchObject({ code });
    expect([existsSync(join(folder, 'cache')), leftovers(folder)]).toEqual([false, []]);
  }),
);

const ONE_BAD: [string, Record<string, string | Uint8Array>, string, string][] = [
  ['a text', { 'a.md': 'fine', 'sub/b.md': Uint8Array.of(0xff) }, 'the source sub/b.md is not valid UTF-8', 'UTF-8'],
  ['one of many texts', { ...manyFiles(), 'b.md': Uint8Array.of(0xff) }, 'the source b.md is not valid UTF-8', 'UTF-8'],
  [
    'two names',
    { 'A.md': '1', 'a.md': '2' },
    'the sources A.md and a.md have the same id, a.md: their paths differ by case only',
    'Rename one',
  ],
];

test.each(ONE_BAD)(
  '[context:X5] a build that fails for %s says which source it is and what to do',
  (_, files, detail, next) =>
    inFolder(async (folder) => {
      await expect(buildFrom(folder, files)).rejects.toMatchObject({ detail, next: expect.stringContaining(next) });
    }),
);

test('[context:X5] sources that are absent or a file, and a cache that is a file, are named with what to do', () =>
  inFolder(async (folder) => {
    const [file, none, cache] = ['x.md', 'none', 'cache'].map((name) => join(folder, name)) as [string, string, string];
    writeFiles(folder, { 'x.md': '' });
    const failed = await Promise.all(
      [
        { sources: none, cache },
        { sources: file, cache },
        { sources: folder, cache: file },
        { sources: folder, cache: join(file, 'below') },
      ].map((request) => build(request).catch(({ code, detail, next }) => [code, detail, next])),
    );
    const sources = 'Pass the folder that holds the documents with --sources.';
    const other = 'Choose another folder with --cache.';
    expect(failed).toEqual([
      ['io_error', `there is no folder of sources at ${none}`, sources],
      ['io_error', `the sources ${file} are not a folder`, sources],
      ['io_error', `${file} cannot be a cache: it, or what it is in, is a file`, other],
      ['io_error', `${join(file, 'below')} cannot be a cache: it, or what it is in, is a file`, other],
    ]);
  }));

test('[context:X5] a folder whose name leads nowhere is named', () =>
  inFolder(async (folder) => {
    // Longer than the system takes as one path, though each step to it is short.
    const sources = writeFiles(join(folder, 'sources'), { 'a.md': 'x' });
    const script = 'for step in $(seq 60); do mkdir "$0" && cd "$0" || exit 1; done';
    expect(spawnSync('bash', ['-c', script, 'd'.repeat(100)], { cwd: sources }).status).toBe(0);
    await expect(build({ sources, cache: join(folder, 'cache') })).rejects.toMatchObject({
      code: 'io_error',
      detail: expect.stringMatching(/^the folder d{100}.* cannot be read: ENAMETOOLONG$/),
    });
    spawnSync('rm', ['-rf', sources]);
  }));

test('[context:Z8] a rebuild that fails keeps the old cache', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, { 'a.md': 'old' });
    const old = snapshot(cache);
    await expect(buildFrom(folder, { 'a.md': Uint8Array.of(0xff) }, { force: true })).rejects.toThrow();
    await expect(buildFrom(folder, { 'a.md': 'new' })).rejects.toMatchObject({ code: 'io_error' });
    const cancelled = AbortSignal.abort();
    await expect(build({ sources: join(folder, 'sources'), cache, force: true }, cancelled)).rejects.toThrow();
    expect([snapshot(cache), leftovers(folder)]).toEqual([old, []]);
  }));

test.each([
  ['another process', 2 ** 22 + 1],
  ['a process that had the number of this one', process.pid],
])(
  '[context:Z8] what killed builds of %s left is removed, and an old cache that was moved aside comes back',
  (_, pid) =>
    inFolder(async (folder) => {
      const cache = await buildFrom(folder, { 'a.md': 'old' });
      const old = snapshot(cache);
      const prefix = `.bindery-${naiveVersion('cache').slice(7, 19)}`;
      renameSync(cache, join(folder, `${prefix}-old-${pid}-00000000`));
      writeFiles(join(folder, `${prefix}-new-${pid}-00000000`), { 'documents/x.json': 'half' });
      writeFiles(join(folder, '.bindery-000000000000-new-1-00000000'), { x: 'of another cache' });
      await expect(buildFrom(folder, { 'a.md': Uint8Array.of(0xff) })).rejects.toThrow();
      expect([snapshot(cache), leftovers(folder)]).toEqual([old, ['.bindery-000000000000-new-1-00000000']]);
    }),
);

test('[context:Z8] a build that works on the same cache at the same time is left alone', () =>
  inFolder(async (folder) => {
    const [first, second] = [new FolderSwap(join(folder, 'cache')), new FolderSwap(join(folder, 'cache'))];
    const during = [first, second].map((swap) => existsSync(swap.folder));
    for (const swap of [first, second]) swap.discard();
    expect([during, leftovers(folder)]).toEqual([[true, true], []]);
  }));

test('[context:Z8] --force replaces caches only, even half-written ones', () =>
  inFolder(async (folder) => {
    const cache = writeFiles(join(folder, 'cache'), { 'documents/half.json': '{' });
    await buildFrom(folder, { 'a.md': 'new' }, { force: true });
    expect(idsIn(cache)).toEqual(['a.md']);
    writeFileSync(join(cache, 'thesis.txt'), 'precious');
    await expect(buildFrom(folder, { 'a.md': 'x' }, { force: true })).rejects.toMatchObject({ code: 'io_error' });
    rmSync(join(cache, 'thesis.txt'));
    const inside = { sources: join(cache, 'documents'), cache, force: true };
    await expect(build(inside)).rejects.toMatchObject({ code: 'io_error' });
    expect(idsIn(cache)).toEqual(['a.md']);
  }));

test('[context:X5] a source that may not be read is io_error', async (context) =>
  inFolder(async (folder) => {
    if (process.getuid?.() === 0) context.annotate('root may read everything: the folder is a file instead');
    const sources = writeFiles(join(folder, 'sources'), { 'a.md': 'x' });
    if (process.getuid?.() === 0) {
      await expect(build({ sources, cache: join(sources, 'a.md', 'cache') })).rejects.toMatchObject({
        code: 'io_error',
      });
    } else {
      chmodSync(join(sources, 'a.md'), 0);
      await expect(build({ sources, cache: join(folder, 'cache') })).rejects.toMatchObject({
        code: 'io_error',
        detail: 'the source a.md cannot be read: EACCES',
      });
    }
  }));
