import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildFrom, inFolder, snapshot, writeFiles } from '../../src/store/context/testing/folders.ts';
import { naiveCacheVersion, naiveResolve } from '../naive/context.ts';
import { runContext, runProcess } from './run.ts';

const SOURCES = { 'a.md': 'alpha beta', 'b.md': 'beta gamma' };
const naive = Object.entries(SOURCES).map(([id, content]) => ({ id, content }));

test('[context:X1] build says what it built on stderr and nothing on stdout', () =>
  inFolder(async (folder) => {
    const sources = writeFiles(join(folder, 'sources'), SOURCES);
    expect(await runContext('build', '--sources', sources, '--cache', join(folder, 'cache'))).toEqual({
      stdout: '',
      stderr: `built 2 documents, ${naiveCacheVersion(naive)}\n`,
      exitCode: 0,
    });
  }));

test('[context:O1] [context:O2] resolve prints the result, compact or pretty', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const expected = naiveResolve(naive, 'alpha', 100);
    const args = ['resolve', '--cache', cache, '--query', 'alpha', '--budget', '100'];
    expect(await runContext(...args)).toEqual({ stdout: expected, stderr: '', exitCode: 0 });
    expect((await runContext(...args, '--format', 'json')).stdout).toBe(expected);
    const pretty = (await runContext(...args, '--format', 'pretty')).stdout;
    expect(pretty).toMatch(/^\{\n {2}"documents": \[\n {4}\{\n {6}"id": "a.md",\n/);
    expect(JSON.parse(pretty)).toEqual(JSON.parse(expected));
  }));

test('[context:X2] inspect prints pretty JSON', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const bytes = Object.entries(snapshot(cache)).reduce(
      (sum, [path, text]) => sum + (path.startsWith('documents/') ? text.length : 0),
      0,
    );
    expect((await runContext('inspect', '--cache', cache)).stdout).toBe(
      `{\n  "cache_version": "${naiveCacheVersion(naive)}",\n  "document_count": 2,\n  "total_bytes": ${bytes},\n  "valid": true\n}\n`,
    );
  }));

test('[context:V1] verify exits 0 for a valid cache and 5 with the reasons for another', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    expect((await runContext('verify', '--cache', cache)).exitCode).toBe(0);
    writeFileSync(join(cache, 'documents/stranger.json'), '');
    expect(await runContext('verify', '--cache', cache)).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error: .*documents\/stranger\.json: the manifest does not list it/),
      exitCode: 5,
    });
  }));

const resolveWith = (cache: string, budget: string) => [
  'resolve',
  '--cache',
  cache,
  '--query',
  'x',
  '--budget',
  budget,
];
const commands: [string, number, (cache: string) => string[]][] = [
  ['[context:X4] an unknown command', 1, () => ['nothing']],
  ['[context:X4] an unknown flag', 1, (cache) => ['inspect', '--cache', cache, '--nothing']],
  ['[context:X4] a missing flag', 1, (cache) => ['resolve', '--cache', cache, '--query', 'x']],
  ['[context:X4] a flag without its value', 1, (cache) => ['resolve', '--cache', cache, '--budget', '1', '--query']],
  ['[context:X4] an argument too many', 1, (cache) => ['inspect', 'x', '--cache', cache]],
  ['[context:X4] an unknown layout', 1, (cache) => [...resolveWith(cache, '1'), '--format', 'xml']],
  [
    '[context:X4] an unknown kind of sources',
    1,
    (cache) => ['build', '--sources', cache, '--cache', `${cache}-new`, '--also', 'html', '--also', 'pdf'],
  ],
  ['a negative budget', 3, (cache) => resolveWith(cache, '-1')],
  ['a budget with a fraction', 3, (cache) => resolveWith(cache, '1.5')],
  ['a budget that is no number', 3, (cache) => resolveWith(cache, 'many')],
  ['an empty budget', 3, (cache) => resolveWith(cache, '')],
  ['[context:Z6] a budget of 2^53', 3, (cache) => resolveWith(cache, '9007199254740992')],
  ['an absent cache', 4, (cache) => resolveWith(`${cache}-none`, '1')],
  ['an empty name', 4, () => resolveWith('', '1')],
  ['a file as cache', 4, (cache) => resolveWith(join(cache, 'index.json'), '1')],
  [
    '[context:Z1] a cache without manifest',
    5,
    (cache) => {
      rmSync(join(cache, 'manifest.json'));
      return resolveWith(cache, '1');
    },
  ],
  [
    '[context:Z1] a changed document',
    5,
    (cache) => {
      for (const name of Object.keys(snapshot(cache)))
        if (name.startsWith('documents/')) writeFileSync(join(cache, name), '{}');
      return resolveWith(cache, '100');
    },
  ],
  ['[context:X5] absent sources', 6, (cache) => ['build', '--sources', `${cache}-none`, '--cache', `${cache}-new`]],
  [
    '[context:X5] a cache that exists',
    6,
    (cache) => ['build', '--sources', join(cache, 'documents'), '--cache', cache],
  ],
  [
    '[context:X5] two sources with one id',
    5,
    (cache) => [
      'build',
      '--sources',
      writeFiles(`${cache}-twice`, { 'A.md': '', 'a.md': 'x' }),
      '--cache',
      `${cache}-new`,
    ],
  ],
  [
    '[context:X5] a source that is not UTF-8',
    6,
    (cache) => [
      'build',
      '--sources',
      writeFiles(`${cache}-bad`, { 'a.md': Uint8Array.of(0xff) }),
      '--cache',
      `${cache}-new`,
    ],
  ],
];

test('[context:X4] an unknown kind of sources is named with its option and the known ones', async () => {
  const { stderr } = await runContext('build', '--sources', '.', '--cache', 'none', '--also', 'pdf');
  expect(stderr).toContain('--also is "pdf", which is no known format; known are markdown, mdx, html, llms (USAGE)');
});

test.each(commands)('[context:X3] %s exits with %i, an error on stderr and nothing on stdout', (_, exitCode, argv) =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    expect(await runContext(...argv(cache))).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
      exitCode,
    });
    expect(existsSync(`${cache}-new`)).toBe(false);
  }),
);

test('[context:X3] a manifest or a document that may not be read is io_error, without its path', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    chmodSync(folder, 0o755);
    const documents = Object.keys(snapshot(cache)).filter((name) => name.startsWith('documents/'));
    const ask = () => runProcess(resolveWith(cache, '100'), '', { isNobody: true });
    expect((await ask()).exitCode).toBe(0);
    for (const name of documents) chmodSync(join(cache, name), 0);
    const failed = {
      stdout: '',
      stderr: expect.stringMatching(/^error: I\/O error occurred \(io_error\)\nnext: [^/]+\n$/),
      exitCode: 6,
    };
    expect(await ask()).toEqual(failed);
    chmodSync(join(cache, 'manifest.json'), 0);
    expect(await ask()).toEqual(failed);
  }));

test('[context:S7] an empty query and an empty cache are answered', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const empty = await buildFrom(join(folder, 'empty'), {});
    const ask = (name: string, query: string) =>
      runContext('resolve', '--cache', name, '--query', query, '--budget', '99');
    expect((await ask(cache, ' \u0085')).stdout).toBe(naiveResolve(naive, ' \u0085', 99));
    expect((await ask(empty, 'x')).stdout).toBe(naiveResolve([], 'x', 99));
  }));

test('the command as a process of its own prints the same, and a name in the path may hold anything', () =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, 'ünï "x'));
    const cache = await buildFrom(join(folder, 'ünï "x'), SOURCES);
    const args = ['resolve', '--cache', cache, '--query', 'gamma', '--budget', '3'];
    expect(await runProcess(args)).toEqual({ stdout: naiveResolve(naive, 'gamma', 3), stderr: '', exitCode: 0 });
  }));

test('[context:M9] a server without a root exits with 1, and one whose input ends with 0', async () => {
  expect(await runProcess(['serve'], '', { env: { CONTEXT_CACHE_ROOT: '' } })).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/^error: .*CONTEXT_CACHE_ROOT/),
    exitCode: 1,
  });
  expect(await inFolder((folder) => runProcess(['serve', '--root', folder]))).toEqual({
    stdout: '',
    stderr: '',
    exitCode: 0,
  });
});

test('[context:Z8] a disk that takes no more is io_error, and the old cache stays', () =>
  inFolder(async (folder) => {
    const cache = await buildFrom(folder, SOURCES);
    const old = snapshot(cache);
    const sources = writeFiles(join(folder, 'large'), { 'a.md': 'x'.repeat(200_000) });
    const args = ['build', '--sources', sources, '--cache', cache, '--force'];
    // No file may grow beyond 64 blocks of 512 bytes, so the write of the document fails.
    const ran = await runProcess(args, '', { limits: 'ulimit -f 64; trap "" XFSZ;' });
    expect(ran).toMatchObject({
      stdout: '',
      exitCode: 6,
      stderr: expect.stringMatching(/^error: I\/O error occurred/),
    });
    expect([snapshot(cache), readFileSync(join(cache, 'index.json'), 'utf8')]).toEqual([old, old['index.json']]);
  }));
