import { expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { SCHEMA_LIMITS } from '../schema/limits.ts';
import { StepBudget } from '../schema/steps.ts';
import { embeddedPaths, pathReadings } from './path-readings.ts';
import { endlessBudget } from './testing/plain-files.ts';

const read = (text: string) => {
  const found = pathReadings(text, '/people/me', new StepBudget(SCHEMA_LIMITS.stepsMax));
  if (found.refused !== undefined) return found.refused;
  const paths = found.readings.map(({ path, isOdd }) => (isOdd ? `${path} (odd)` : path));
  return found.isUrl ? ['URL', ...paths] : paths;
};
const PATTERN = 'holds a pattern or a command that shells expand, and what comes of it is not known here';
const VARIABLE = 'holds a variable, whose value is not known here';

test.each([
  ['/srv/x', ['/srv/x']],
  ['a/../b', ['a/../b']],
  [' /srv/x ', [' /srv/x ', '/srv/x']],
  ['a\\b', ['a\\b', 'a/b']],
  ['/srv/%2e%2e/x', ['/srv/%2e%2e/x', '/srv/../x']],
  ['/srv/x. ./y...', ['/srv/x. ./y...', '/srv/x/y']],
  ['/srv/.../x', ['/srv/.../x', '/srv/../x']],
  ['/srv/. . . ./x', ['/srv/. . . ./x', '/srv/../x']],
  ['~/x', ['/people/me/x', '~/x (odd)']],
  ['~', ['/people/me', '~ (odd)']],
  ['~you/x', 'names the home of another person'],
  ['x~/y', ['x~/y']],
  ['C:\\x', ['C:\\x', 'C:/x']],
  ['/C:/x', ['C:/x', '/C:/x']],
  ['sqlite:///etc/x.db', ['URL', '/etc/x.db', 'sqlite:///etc/x.db (odd)']],
  ['https://a.example/x', ['URL', 'https://a.example/x (odd)']],
  ['file:///srv/x', ['///srv/x', '/srv/x', 'file:///srv/x (odd)']],
  ['file://localhost/srv/x#f', ['/srv/x#f', '/srv/x', 'file://localhost/srv/x#f (odd)']],
  [
    'file://localhost/srv/x?q',
    'holds a pattern or a command that shells expand, and what comes of it is not known here',
  ],
  ['file://other/srv/x', 'names a file of another machine'],
  ['file:/srv/x', ['/srv/x', 'file:/srv/x (odd)']],
  ['file:x', ['x', '/x', 'file:x']],
  ['file:', ['/', 'file: (odd)']],
  ['file:#f', ['#f', '/', '/#f', 'file:#f']],
  ['file://localhost', ['/', 'file://localhost (odd)']],
  ['file://LOCALHOST/srv/x', ['/srv/x', 'file://LOCALHOST/srv/x (odd)']],
  ['file://C:/x', ['/x', '/C:/x', 'C:/x', 'file://C:/x (odd)']],
  ['file:C:/x', ['C:/x', '/C:/x', 'file:C:/x']],
  ['file:///C:/x', ['///C:/x', '/C:/x', 'C:/x', 'file:///C:/x (odd)']],
  ['file://localhost/C:/x', ['/C:/x', 'C:/x', 'file://localhost/C:/x (odd)']],
  [
    'file:///srv/%2e%2e/x',
    [
      ...['///srv/%2e%2e/x', '///srv/../x', '/srv/%2e%2e/x', '/srv/../x', '/x'],
      ...['file:///srv/%2e%2e/x (odd)', 'file:///srv/../x (odd)'],
    ],
  ],
  ['file:///srv/x#f', ['///srv/x#f', '///srv/x', '/srv/x#f', '/srv/x', 'file:///srv/x#f (odd)']],
  ['file:////other/x', ['////other/x', '//other/x', '/other/x', 'file:////other/x (odd)']],
  ['file:\\\\other\\x', 'names a file of another machine'],
  [' FILE:///srv/x ', ['///srv/x', '/srv/x', ' FILE:///srv/x ', ' FILE:///srv/x', 'FILE:///srv/x (odd)']],
  ['fi\tle:///srv/x', ['///srv/x', '/srv/x', 'fi\tle:///srv/x']],
  ['https:///etc/x', ['URL', '/etc/x', 'https:///etc/x (odd)']],
  ['https://a.example/*', ['URL', 'https://a.example/* (odd)']],
  ['sqlite:///etc/*', PATTERN],
  ['/srv/*', PATTERN],
  ['x:/y', ['x:/y']],
  ['%7e/x', ['%7e/x', '/people/me/x', '~/x (odd)']],
  ['~%2fx', 'names the home of another person'],
  ['~\\x', ['/people/me\\x', '~\\x (odd)', '/people/me/x', '~/x (odd)']],
  ['/srv/%e9/%2e/x', ['/srv/%e9/%2e/x', '/srv/%e9/./x']],
  ['/srv/x%', ['/srv/x%']],
  ['C:', ['C:']],
  ['a\0b', 'holds a NUL character'],
  ['/srv/%00', 'holds a NUL character'],
  ['$HOME/x', VARIABLE],
  ['%APPDATA%\\x', VARIABLE],
  ['${x', VARIABLE],
  ['5$ and 10%', ['5$ and 10%']],
])('%j is read as %j', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test('a text of the maximum length is read; one that is a character longer, or encoded once too often, is not', () => {
  const max = GATEWAY_LIMITS.pathCharsMax;
  const encoded = (times: number) => `/srv/%25${'25'.repeat(times - 1)}2e`;
  expect([
    Array.isArray(read(`/${'x'.repeat(max - 1)}`)),
    read(`/${'x'.repeat(max)}`),
    Array.isArray(read(encoded(GATEWAY_LIMITS.percentDecodingsMax - 1))),
    read(encoded(GATEWAY_LIMITS.percentDecodingsMax)),
  ]).toEqual([true, 'is too long for a path', true, 'is percent-encoded too often']);
});

test.each([
  ['/srv/x', []],
  ['cat /srv/x "b/c"', ['/srv/x', 'b/c']],
  ['cd ..', ['..']],
  ['ls ~', ['~']],
  ['--file=/srv/x', ['/srv/x']],
  ['host:/srv/x', ['/srv/x']],
  ['https://a.example', []],
  ['list:[/a,/b', ['/a,/b', '/b']],
  ['a b', []],
  ['a:/b', ['/b']],
  ['a:~/b', ['~/b']],
  ['a:../b', ['../b']],
  ['a,C:/b', ['C:/b', '/b']],
  ['a=file:/b', ['file:/b', '/b']],
  ['a=https://b/c', []],
  ['a:///b', ['///b']],
  ['://b', ['//b']],
  ['see ab://\\b', ['ab://\\b', '//\\b']],
  ['a ~b c', ['~b']],
  ['@/b', ['/b']],
  ['a://b', []],
  ['ab://c:/d', ['/d']],
])('the paths in %j are %j', (text, expected) => {
  expect([...embeddedPaths(text)]).toEqual(expected);
});

test('an encoded letter beyond ASCII is no variable', () => {
  const read = (text: string) => pathReadings(text, '/home/me', endlessBudget());
  for (const text of ['file:///srv/Stra%C3%9Fe.txt', '/srv/%D0%9F.txt', '/srv/%e6%97%a5', '/srv/caf%C3%A9%20x'])
    expect(read(text)).toMatchObject({ readings: expect.any(Array) });
  for (const text of ['%APPDATA%/x', '/srv/%A%', '/srv/%C3%', '%C3%zz', '%ABC%20'])
    expect(read(text)).toEqual({ refused: 'holds a variable, whose value is not known here' });
});
