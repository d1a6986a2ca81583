import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { root } from '../support/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-one-file-'));
const executable = join(folder, 'bindery');
const cache = join(folder, 'cache');
/** A program that loads a second file, and says what that file says. */
const program = new Map([
  ['bin/bindery.js', Buffer.from("import { word } from '../dist/word.js';\nconsole.log(word);\n")],
  ['dist/word.js', Buffer.from("export const word = 'whole';\n")],
  ['package.json', Buffer.from('{"type":"module"}')],
]);

beforeAll(async () => {
  const { makeExecutable } = await import(
    pathToFileURL(join(root, 'scripts', 'executable', 'make-executable.js')).href
  );
  await makeExecutable(executable, process.execPath, program);
}, 120_000);
beforeEach(() => {
  rmSync(cache, { recursive: true, force: true });
  // The first start unpacks, the second one notes what it saw of the files.
  for (let starts = 0; starts < 2; starts += 1) execFileSync(executable, { env });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { XDG_CACHE_HOME: cache, LOCALAPPDATA: cache, HOME: folder };
const start = () => {
  const { status, stdout, stderr } = spawnSync(executable, { env, encoding: 'utf8' });
  return { status, stdout, stderr: stderr.replaceAll(unpacked(), 'FOLDER') };
};
const unpacked = () => join(cache, 'bindery', readdirSync(join(cache, 'bindery'))[0] as string);
const word = () => join(unpacked(), 'dist', 'word.js');

test('an executable whose unpacked files are whole says nothing of them', () => {
  expect(start()).toEqual({ status: 0, stdout: 'whole\n', stderr: '' });
});

test.each<[string, () => void]>([
  ['truncated', () => truncateSync(word(), 3)],
  ['emptied', () => truncateSync(word())],
  ['missing', () => rmSync(word())],
  [
    'changed, with the size and the time that it had',
    () => {
      const { atime, mtime } = statSync(word());
      writeFileSync(word(), "export const word = 'whale';\n");
      utimesSync(word(), atime, mtime);
    },
  ],
])('an unpacked file that is %s is written again before it is loaded', (_, damage) => {
  damage();
  const repaired = { status: 0, stdout: 'whole\n', stderr: 'Repaired 1 damaged file of this program in FOLDER\n' };
  expect([start(), readFileSync(word(), 'utf8')]).toEqual([repaired, program.get('dist/word.js')?.toString()]);
  expect(start().stderr).toBe('');
});

test('an unpacked file that is damaged and cannot be replaced is refused, with the folder and the remedy', () => {
  rmSync(word());
  rmSync(join(unpacked(), 'dist'), { recursive: true });
  writeFileSync(join(unpacked(), 'dist'), 'a file in the place of a folder');
  chmodSync(unpacked(), 0o500);
  const { status, stdout, stderr } = start();
  chmodSync(unpacked(), 0o700);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^error: The files of this program in FOLDER are missing or damaged/);
  expect(stderr).toMatch(/delete it, or set XDG_CACHE_HOME/);
});
