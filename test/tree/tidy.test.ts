import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { root, trackedFiles } from '../support/repository.ts';

const FILE_BYTES_MAX = 256 * 1024;
const CODE_LINES_MAX = 500;
/** A test file is a list of sentences: it may be longer. */
const TEST_LINES_MAX = 450;

/** Files that are one kind of thing and long because there is much of it. */
const LONG_TABLES: readonly string[] = [];

const files = trackedFiles().filter((file) => file !== 'package-lock.json');
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const code = files.filter((file) => /\.(ts|js)$/.test(file));
const prose = files.filter((file) => file.endsWith('.md') && !file.startsWith('samples/'));

test('no file is larger than a person would read', () => {
  expect(files.filter((file) => statSync(join(root, file)).size > FILE_BYTES_MAX)).toEqual([]);
});

test('code files are short', () => {
  const most = (file: string) => (file.endsWith('.test.ts') ? TEST_LINES_MAX : CODE_LINES_MAX);
  const long = code.filter((file) => text(file).split('\n').length > most(file) && !LONG_TABLES.includes(file));
  expect(long).toEqual([]);
});

test('nothing is left half-done, focused or switched off', () => {
  const marks = new RegExp(
    ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', '\\.only\\(', '\\.skip\\(', '@ts-' + 'ignore']
      .map((mark) => `${mark}`)
      .join('|'),
  );
  expect(code.filter((file) => marks.test(text(file).replaceAll(/'[^']*'/g, "''")))).toEqual([]);
});

test('only commands and scripts write to the console', () => {
  const wrong = code.filter(
    (file) => file.startsWith('src/') && !file.endsWith('.test.ts') && /\bconsole\./.test(text(file)),
  );
  expect(wrong).toEqual([]);
});

test('no path of one machine stands in the tree', () => {
  const machine = new RegExp(['/wo' + 'rk/', '/ro' + 'ot/', '/home/[a-z]+/'].join('|'));
  expect(files.filter((file) => !/\.(png|gz)$/.test(file) && machine.test(text(file)))).toEqual([]);
});

test('names say their kind: no Manager, Service, Helper or Utils', () => {
  expect(code.filter((file) => /(manager|service|helper|utils?)\b/.test(basename(file)))).toEqual([]);
});

test('every page begins with a title and ends with a newline', () => {
  expect(prose.filter((file) => !/^# \S/.test(text(file)) || !text(file).endsWith('\n'))).toEqual([]);
});

test('the README and the architecture page stay short', () => {
  const lines = (file: string) => text(file).split('\n').length;
  expect([lines('README.md') <= 120, lines('ARCHITECTURE.md') <= 150]).toEqual([true, true]);
});

test('links between pages lead somewhere', () => {
  const dead = prose.flatMap((file) =>
    [...text(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map((match) => join(file, '..', match[1] as string))
      .filter((target) => !files.some((known) => known === target || known.startsWith(`${target.replace(/\/$/, '')}/`)))
      .map((target) => `${file} → ${target}`),
  );
  expect(dead).toEqual([]);
});
