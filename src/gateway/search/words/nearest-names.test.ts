import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../../contract/nearest-word.ts';
import { nearestNames } from './nearest-names.ts';

const NAMES = [
  'git__commit',
  'git__status',
  'files__read_file',
  'files__write_file',
  'weather__get_forecast',
  'notes__write_note',
];

test.each([
  ['git_commit', 'git__commit'],
  ['read_file', 'files__read_file'],
  ['fs__read_file', 'files__read_file'],
  ['weather__getForecast', 'weather__get_forecast'],
  ['files.wirte-file', 'files__write_file'],
])('[gateway:F6] %s is close to %s', (unknown, name) => {
  expect(nearestNames(unknown, NAMES)[0]).toBe(name);
});

test('[gateway:F6] three names are suggested, closest first, ties by name', () => {
  expect(nearestNames('xy', ['c', 'b', 'a', 'xyz'])).toEqual(['xyz', 'a', 'b']);
});

test('an empty catalogue has nothing to suggest', () => {
  expect(nearestNames('x', [])).toEqual([]);
});

/** The distance by its definition. */
function naive(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const options = [
    naive(a.slice(1), b) + 1,
    naive(a, b.slice(1)) + 1,
    naive(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) options.push(naive(a.slice(2), b.slice(2)) + 1);
  return Math.min(...options);
}

test('the distance is that of its definition', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(editDistance(a, b)).toBe(naive(a, b));
    }),
  );
});

test('a distance within the limit is exact, and one beyond it is beyond it', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: -1, max: 7 }), (a, b, atMost) => {
      const [found, right] = [editDistance(a, b, atMost), naive(a, b)];
      expect(right <= atMost ? found === right : found > atMost).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('the nearest names are those of a comparison with each', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(name, fc.uniqueArray(name, { maxLength: 12 }), (wanted, names) => {
      const part = (text: string) => (text.includes('__') ? text.slice(text.indexOf('__') + 2) : text);
      const distance = (text: string) => Math.min(2 * naive(wanted, text), 2 * naive(part(wanted), part(text)) + 1);
      const sorted = [...names].sort((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1));
      expect(nearestNames(wanted, names, 3)).toEqual(sorted.slice(0, 3));
    }),
  );
});

test('of many names the nearest is found, whichever it is', () => {
  const names = Array.from({ length: 2_000 }, (_, at) => `server_${at % 50}__tool_that_does_${at}`);
  for (const at of [0, 777, 1_999]) {
    const name = names[at] as string;
    expect(nearestNames(name.replace('tool_that', 'toll_taht'), names)[0]).toBe(name);
  }
});
