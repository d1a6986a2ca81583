import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isBelow } from '../../gateway/policy/argument-places.ts';
import { resolveArgumentPath } from './resolve-path.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-paths-')));
mkdirSync(join(cwd, 'docs'));
symlinkSync('/etc', join(cwd, 'docs', 'out'));
symlinkSync('../../nowhere-yet', join(cwd, 'docs', 'dangling'));
symlinkSync('../docs', join(cwd, 'docs', 'back'));
symlinkSync('round', join(cwd, 'docs', 'round'));
afterAll(() => rmSync(cwd, { recursive: true }));

test.each([
  ['docs/new/file.md', true],
  ['./docs', true],
  ['docs/../docs/x', true],
  [`file://${cwd}/docs/x`, true],
  ['docs/out/passwd', false],
  ['docs/out/new/deep', false],
  ['docs/back/back/new', true],
  ['docs/back/out/x', false],
  ['docs/dangling', false],
  ['docs/dangling/x', false],
  ['docs/round/x', false],
  ['docs/../../x', false],
  ['docs\\..\\..\\x', false],
  ['..\\x', false],
  ['~', false],
  ['~/x', false],
  ['~root/x', false],
  ['file://elsewhere/x', false],
  [`file://${cwd}/docs%2F..%2F..%2Fx`, false],
  ['file:///etc/passwd', false],
  ['FILE:///etc/passwd', false],
  ['FILE:/etc/passwd', false],
  ['C:\\x', false],
  ['c:/x', false],
])('%j lies below the folder docs or not: %j [gateway:P6]', (path, isInside) => {
  expect(isBelow(resolveArgumentPath(path, cwd), resolveArgumentPath('./docs', cwd))).toBe(isInside);
});

test('the home of the person is theirs, and nothing nameless lies below the root of all [gateway:P6]', () => {
  expect(resolveArgumentPath('~/x', cwd)).toBe(join(realpathSync(homedir()), 'x'));
  expect(['~root/x', 'file://elsewhere/x'].map((path) => isBelow(resolveArgumentPath(path, cwd), '/'))).toEqual([
    false,
    false,
  ]);
});

test('a path that nobody can open lies nowhere [gateway:P6]', () => {
  expect(isBelow(resolveArgumentPath(`/${'a/'.repeat(100_000)}`, cwd), '/')).toBe(false);
  expect(resolveArgumentPath(`/${'a/'.repeat(2_000)}`, cwd)).toBe(`/${'a/'.repeat(2_000)}`.slice(0, -1));
});
