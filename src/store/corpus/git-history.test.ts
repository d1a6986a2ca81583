import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCorpus } from '../../../test/support/large-corpus.ts';
import { GitHistory } from './git-history.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'git-history-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const write = (n: number) =>
  writeCorpus(dir, { 'catalogue/values.yaml': `- { uid: val-01, name: fee, value: "${n}" }\n` }, `Say ${n}`);
const subjects = (history: Awaited<ReturnType<GitHistory['read']>>) => history?.map(({ subject }) => subject);

test('a change is there once, however many read when the head moves', async () => {
  const history = new GitHistory(dir);
  write(1);
  const first = await history.read();
  write(2);
  const many = await Promise.all(Array.from({ length: 5 }, () => history.read()));
  write(3);
  const last = [await history.read(), await history.read()];
  expect([first, ...many, ...last].map(subjects)).toEqual([
    ['Say 1'],
    ...many.map(() => ['Say 2', 'Say 1']),
    ...last.map(() => ['Say 3', 'Say 2', 'Say 1']),
  ]);
});

test('a caller that arrives during a read sees everything committed before its call', async () => {
  const history = new GitHistory(dir);
  const running = history.read();
  await Promise.resolve();
  write(4);
  const [, later] = await Promise.all([running, history.read()]);
  expect(subjects(later)?.[0]).toBe('Say 4');
});
