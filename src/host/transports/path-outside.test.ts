import { expect, test } from 'vitest';
import { pathOutside } from './minimal-environment.ts';

test('programs of the folder and relative parts are removed from the PATH', () => {
  const env = {
    HOME: '/homes/ada',
    PATH: '/p/node_modules/.bin:/p:/p/../p/bin:.::bin:/usr/bin:/pp/bin:/homes/ada/.local/bin:/..p',
    OTHER: '/p:/q',
  };
  expect(pathOutside(env, '/p', 'linux')).toEqual({ ...env, PATH: '/usr/bin:/pp/bin:/homes/ada/.local/bin:/..p' });
});

test('in a folder that contains the home folder, the user’s own programs stay', () => {
  const env = { HOME: '/homes/ada', PATH: '/homes/ada/node_modules/.bin:/homes/ada/.local/bin:/usr/bin' };
  expect(pathOutside(env, '/homes/ada', 'linux').PATH).toBe('/homes/ada/.local/bin:/usr/bin');
});

test('on Windows the variable’s name and paths are compared without case', () => {
  const env = { UserProfile: 'C:\\Users\\ada', Path: 'c:\\WORK\\p\\node_modules\\.bin;C:\\Windows;D:\\x' };
  expect(pathOutside(env, 'C:\\work\\p', 'win32').Path).toBe('C:\\Windows;D:\\x');
});

test('an environment without a PATH stays as it is', () => {
  expect(pathOutside({ A: 'b' }, '/p', 'linux')).toEqual({ A: 'b' });
});
