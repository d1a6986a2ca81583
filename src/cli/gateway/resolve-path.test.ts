import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isBelow } from '../../gateway/policy/argument-places.ts';
import { resolveArgumentPath } from './resolve-path.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-paths-')));
mkdirSync(join(cwd, 'docs'));
symlinkSync('/etc', join(cwd, 'docs', 'out'));
afterAll(() => rmSync(cwd, { recursive: true }));

test.each([
  ['docs/new/file.md', true],
  ['./docs', true],
  ['docs/../docs/x', true],
  [`file://${cwd}/docs/x`, true],
  ['docs/out/passwd', false],
  ['docs/out/new/deep', false],
  ['docs/../../x', false],
  ['docs\\..\\..\\x', false],
  ['..\\x', false],
  ['~', false],
  ['~/x', false],
  ['~root/x', false],
  ['file://elsewhere/x', false],
  [`file://${cwd}/docs%2F..%2F..%2Fx`, false],
  ['file:///etc/passwd', false],
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
