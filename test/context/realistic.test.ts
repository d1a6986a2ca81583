import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONTEXT_LIMITS } from '../../src/context/limits.ts';
import { build, buildFrom, inFolder, snapshot } from '../../src/store/context/testing/folders.ts';
import { naiveCacheVersion, naiveCompare, naiveFiles, naiveResolve, naiveVersion } from '../naive/context.ts';
import { documentationSet } from '../support/realistic/documentation-set.ts';
import { runContext } from './run.ts';

const MB = 1024 * 1024;

interface Source {
  readonly path: string;
  readonly content: string;
}

/** What is wrong with a cache of these sources, by a model that shares no code with the build. */
function faultsOf(cache: string, sources: readonly Source[]): string[] {
  const naive = sources.map(({ path, content }) => ({ id: path.toLowerCase(), source: path, content }));
  const files = naiveFiles(naive);
  const listed = JSON.parse(readFileSync(join(cache, 'manifest.json'), 'utf8'));
  const faults: string[] = [];
  if (listed.cache_version !== naiveCacheVersion(naive)) faults.push('cache_version');
  const ids = naive.map(({ id }) => id).sort(naiveCompare);
  if (JSON.stringify(listed.documents.map(({ id }: { id: string }) => id)) !== JSON.stringify(ids)) faults.push('ids');
  for (const { id, source, content } of naive) {
    const file = files.get(id) as string;
    const version = naiveVersion(content);
    const expected = JSON.stringify({ id, version, source, content, metadata: {} });
    try {
      if (readFileSync(join(cache, file), 'utf8') !== expected) faults.push(`${file} differs`);
    } catch {
      faults.push(`${file} is missing`);
    }
  }
  if (readdirSync(join(cache, 'documents')).length !== sources.length) faults.push('another number of documents');
  return faults;
}

const asFiles = (sources: readonly Source[]) => Object.fromEntries(sources.map(({ path, content }) => [path, content]));

test.each([
  ['one thread', 1_000],
  ['several threads', CONTEXT_LIMITS.buildInlineMax + 400],
])(
  '[context:C1] [context:C2] a documentation set of real sizes is built whole on %s, and all commands agree on it',
  (_, pageCount) =>
    inFolder(async (folder) => {
      const pages = documentationSet(pageCount, pageCount);
      const sources = join(folder, 'sources');
      const cache = await buildFrom(folder, asFiles(pages));
      expect(faultsOf(cache, pages)).toEqual([]);

      const version = naiveCacheVersion(pages.map(({ path, content }) => ({ id: path.toLowerCase(), content })));
      const verified = await runContext('verify', '--cache', cache, '--json');
      expect(JSON.parse(verified.stdout)).toEqual({
        cache_version: version,
        document_count: pageCount,
        valid: true,
        problems: [],
      });
      const sizes = readdirSync(join(cache, 'documents')).map(
        (name) => readFileSync(join(cache, 'documents', name)).length,
      );
      const inspected = await runContext('inspect', '--cache', cache);
      expect(JSON.parse(inspected.stdout)).toEqual({
        cache_version: version,
        document_count: pageCount,
        total_bytes: sizes.reduce((sum, size) => sum + size, 0),
        valid: true,
      });
      // Everything fits: each page comes back, and each was checked against its hash.
      const all = await runContext('resolve', '--cache', cache, '--query', 'server', '--budget', String(100 * MB));
      expect(JSON.parse(all.stdout).selection.documents_selected).toBe(pageCount);

      const built = snapshot(cache);
      expect((await runContext('build', '--sources', sources, '--cache', cache, '--force')).exitCode).toBe(0);
      expect(snapshot(cache)).toEqual(built);
      const changed = pages.map((page, index) => (index % 97 === 0 ? { ...page, content: `${page.content}!` } : page));
      changed.forEach((page, index) => {
        if (index % 97 === 0) writeFileSync(join(sources, page.path), page.content);
      });
      await build({ sources, cache, incremental: true });
      expect(faultsOf(cache, changed)).toEqual([]);
    }),
  300_000,
);

test('[context:S1] resolve answers on pages of real sizes as the naive model does', () =>
  inFolder(async (folder) => {
    // One of them has some megabytes.
    const pages = documentationSet(7, 400);
    const cache = await buildFrom(folder, asFiles(pages));
    const naive = pages.map(({ path, content }) => ({ id: path.toLowerCase(), content }));
    for (const [query, budget] of [
      ['server config', 4_000],
      ['設定 サーバー', 50_000],
      ['title:', 2 * MB],
    ] as const) {
      const { stdout } = await runContext('resolve', '--cache', cache, '--query', query, '--budget', String(budget));
      // Compared before it is shown: a difference of megabytes takes minutes to print.
      expect(stdout === naiveResolve(naive, query, budget)).toBe(true);
    }
  }));

/** One byte to 5 MB, and sums of them on both sides of each bound of a batch. */
const { writeBatchBytes, writeBatch } = CONTEXT_LIMITS;
const anySizes = fc.oneof(
  fc.array(fc.constantFrom(1, 100, 60_000, 87_000, writeBatchBytes - 200, writeBatchBytes, MB, 5 * MB), {
    minLength: 1,
    maxLength: 10,
  }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: writeBatch + 2 }), fc.integer({ min: -2, max: 2 }))
    .map(([batches, count, apart]) => Array(count).fill(Math.floor((batches * writeBatchBytes) / 3 / count) + apart)),
);

test('[context:C1] documents of any size, in any order, are all in the cache with their hashes', () =>
  fc.assert(
    fc.asyncProperty(anySizes, (sizes) =>
      inFolder(async (folder) => {
        const sources = sizes.map((size, index) => ({
          path: `${index}.md`,
          content: `${index}`.padEnd(Math.max(1, size), ' word'),
        }));
        expect(faultsOf(await buildFrom(folder, asFiles(sources)), sources)).toEqual([]);
      }),
    ),
    { numRuns: 25 },
  ));
