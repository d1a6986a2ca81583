import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TextPrinter } from '../../civic/review/text-prints.ts';
import { findPrints } from './find-prints.ts';

const OWN = 'skills/move/canonical.md';
const printer = new TextPrinter('a key');
let dataDir: string;
let corpusDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'find-prints-data-'));
  corpusDir = mkdtempSync(join(tmpdir(), 'find-prints-corpus-'));
  mkdirSync(join(corpusDir, 'skills/move'), { recursive: true });
});
afterEach(() => {
  for (const dir of [dataDir, corpusDir]) rmSync(dir, { recursive: true, force: true });
});

const find = (text: string) => {
  const pieces = printer.print([{ member: 'report', text }], '').map((one, n) => ({ ...one, piece: n + 1 }));
  return findPrints(
    { dataDir, registryFile: join(dataDir, 'registry.db'), corpusDir },
    { printer, pieces, erased: new Set(['sub_own']), files: new Set([OWN]), pages: [] },
  );
};
const git = (...args: string[]) =>
  execFileSync('git', ['-C', corpusDir, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
    encoding: 'utf8',
  }).trim();
const commit = (text: string, message: string) => {
  writeFileSync(join(corpusDir, OWN), text);
  git('add', '.');
  git('commit', '--quiet', '--no-gpg-sign', '-m', message);
  rmSync(join(corpusDir, '.git/COMMIT_EDITMSG'), { force: true });
  rmSync(join(corpusDir, '.git/logs'), { recursive: true, force: true });
  return git('rev-parse', 'HEAD');
};

test('a text is found in files at any depth and across the end of a chunk, also as JSON has it', () => {
  mkdirSync(join(dataDir, 'a/b'), { recursive: true });
  writeFileSync(join(dataDir, 'a/b/log'), `${'x'.repeat(8 * 1024 * 1024 - 9)}Ask for Quirina Zwaan${'y'.repeat(90)}`);
  writeFileSync(join(dataDir, 'line.json'), JSON.stringify({ report: 'two long lines\nof "text here"' }));
  expect([find('Ask for Quirina Zwaan'), find('two long lines\nof "text here"'), find('gone for good')]).toEqual([
    { left: [{ place: join(dataDir, 'a/b/log'), kind: 'file', pieces: [1] }], alike: [], shared: [] },
    { left: [{ place: join(dataDir, 'line.json'), kind: 'file', pieces: [1, 2] }], alike: [], shared: [] },
    { left: [], alike: [], shared: [] },
  ]);
});

test('a hit in a database names its row, and text outside of rows counts as unused pages', () => {
  const file = join(dataDir, 'registry.db');
  const database = new DatabaseSync(file);
  database.exec(`CREATE TABLE civic_merges (submission_id TEXT, before TEXT);
    INSERT INTO civic_merges VALUES ('sub_1', 'Ask for Quirina Zwaan at the desk.')`);
  const inRow = find('Ask for Quirina Zwaan at the desk.').left;
  database.exec('PRAGMA secure_delete = OFF; DELETE FROM civic_merges');
  const inPages = find('Ask for Quirina Zwaan at the desk.').left;
  database.exec('VACUUM');
  const nowhere = find('Ask for Quirina Zwaan at the desk.').left;
  database.close();
  expect([inRow, inPages, nowhere]).toEqual([
    [{ place: `${file}: civic_merges sub_1`, kind: 'merge', pieces: [1] }],
    [{ place: file, kind: 'unused_pages', pieces: [1] }],
    [],
  ]);
});

test('a copy of the database is a backup, whatever table of it has the text', () => {
  const copy = join(dataDir, 'old', 'registry.db');
  mkdirSync(join(dataDir, 'old'));
  const database = new DatabaseSync(copy);
  database.exec(`CREATE TABLE civic_submissions (id TEXT, item TEXT); CREATE TABLE civic_notes (text TEXT);
    INSERT INTO civic_notes VALUES ('Ask for Quirina Zwaan at the desk.')`);
  database.close();
  expect(find('Ask for Quirina Zwaan at the desk.').left).toEqual([{ place: copy, kind: 'backup', pieces: [1] }]);
});

test('a text that only the history of a repository holds is found there, in changes, in messages and in what no branch has', () => {
  git('init', '--quiet', '--initial-branch=main');
  const first = commit('Ask Quirina Zwaan.\n', 'Add');
  const second = commit('Ask the desk.\n', 'Remove what Philomena wrote');
  git('checkout', '--quiet', '-b', 'side');
  commit('Ask Balthazar Kramm.\n', 'Side');
  git('checkout', '--quiet', 'main');
  git('branch', '--quiet', '-D', 'side');
  rmSync(join(corpusDir, '.git/logs'), { recursive: true, force: true });
  const places = (text: string) => find(text).left.map(({ place, kind }) => `${kind} ${place.split(' ').at(-1)}`);
  const lost = places('Ask Balthazar Kramm.');
  git('gc', '--quiet', '--prune=now');
  expect([
    places('Ask Quirina Zwaan.').sort(),
    places('Philomena wrote'),
    lost.map((place) => place.split(' ')[0]),
    places('Ask Balthazar Kramm.'),
  ]).toEqual([[`commit ${first}`, `commit ${second}`].sort(), [`commit ${second}`], ['git_object'], []]);
});

test('words that another file of the corpus has are named as shared, and not looked for', () => {
  const words = 'Bring the identity card and the form.';
  mkdirSync(join(corpusDir, 'skills/other'), { recursive: true });
  writeFileSync(join(corpusDir, 'skills/other/canonical.md'), words);
  writeFileSync(join(corpusDir, OWN), words);
  const shared = find(words);
  rmSync(join(corpusDir, 'skills/other'), { recursive: true });
  expect([shared, find(words)]).toEqual([
    { left: [], alike: [], shared: ['skills/other/canonical.md'] },
    { left: [{ place: OWN, kind: 'corpus_file', pieces: [1] }], alike: [], shared: [] },
  ]);
});

test('the words that another sender wrote are told from those of the erased submission', () => {
  const words = 'Checked at the desk this morning.';
  const file = join(dataDir, 'registry.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE civic_submissions (id TEXT, item TEXT)');
  const insert = database.prepare('INSERT INTO civic_submissions VALUES (?, ?)');
  insert.run('sub_other', JSON.stringify({ type: 'concern', report: words }));
  // The context of a diff quotes words of the text, not of its sender.
  const body_diff = { diff: `@@ -1,1 +1,2 @@\n ${words}\n+Wait.\n` };
  const content = { amendment_subtype: 'body_diff', body_diff };
  insert.run('sub_quote', JSON.stringify({ type: 'amendment', target_type: 'skill', content, rationale: 'x' }));
  database.close();
  git('init', '--quiet', '--initial-branch=main');
  const own = commit('One.\n', `move: ${words}\n\nSubmission: sub_own`);
  const other = commit('Two.\n', `move: ${words}\n\nSubmission: sub_other`);
  const { left, alike } = find(words);
  const names = (places: typeof left) => places.map(({ place, kind }) => `${kind} ${place.split(' ').at(-1)}`);
  expect([names(left), names(alike)]).toEqual([
    ['submission sub_quote', `commit ${own}`],
    ['submission sub_other', `commit ${other}`],
  ]);
});
