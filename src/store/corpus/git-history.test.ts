import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCorpus } from '../../../test/support/large-corpus.ts';
import { GitHistory } from './git-history.ts';
import { removeHistoryFile } from './history-file.ts';

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

test('the next process reads only what came after the kept history, and a history that is wrong is read anew', async () => {
  const read = async () => subjects(await new GitHistory(dir, { isKept: true }).read());
  const whole = async () => subjects(await new GitHistory(dir).read());
  const kept = join(dir, '.git/bindery-history.json');
  await read();
  // Only the file can have this subject: it shows that the log was not read again.
  const [, text = ''] = readFileSync(kept, 'utf8').split('\n');
  const marked = text.replace('"Say 1"', '"Kept 1"');
  const digest = createHash('sha256').update(`1\n${marked}`).digest('hex');
  writeFileSync(kept, `${digest}\n${marked}`);
  write(5);
  const later = await read();
  writeFileSync(kept, readFileSync(kept, 'utf8').replace('"Kept 1"', '"Else 1"'));
  const changed = await read();
  execFileSync('git', ['-C', dir, 'reset', '--quiet', '--hard', 'HEAD~2']);
  const rewound = await read();
  const expected = await whole();
  removeHistoryFile(dir);
  expect([[later?.[0], later?.at(-1)], changed?.at(-1), rewound, existsSync(kept)]).toEqual([
    ['Say 5', 'Kept 1'],
    'Say 1',
    expected,
    false,
  ]);
});
