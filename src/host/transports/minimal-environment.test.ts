import { expect, test } from 'vitest';
import { minimalEnvironment } from './minimal-environment.ts';

test('a child gets the short list and its own variables; its own win', () => {
  const parent = { PATH: '/bin', HOME: '/home/a', AWS_SECRET_ACCESS_KEY: 'x', SHELL: '() { evil; }', LANG: undefined };
  expect(minimalEnvironment(parent, { HOME: '/srv', TOKEN: 't' }, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/srv',
    TOKEN: 't',
  });
});

test('Windows names are compared without case, and kept as they are', () => {
  const parent = { Path: 'C:\\', SystemRoot: 'C:\\Windows', Secret: 'x', HOME: 'C:\\me' };
  expect(minimalEnvironment(parent, { PATH: 'D:\\' }, 'win32')).toEqual({ SystemRoot: 'C:\\Windows', PATH: 'D:\\' });
});
