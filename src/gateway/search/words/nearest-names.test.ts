import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../../contract/nearest-word.ts';
import { NearestNames } from './nearest-names.ts';

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
  expect(new NearestNames(NAMES).find(unknown)[0]).toBe(name);
});

test('[gateway:F6] three names are suggested, closest first, ties by name', () => {
  expect(new NearestNames(['c', 'b', 'a', 'xyz']).find('xy')).toEqual(['xyz', 'a', 'b']);
});

test('an empty catalogue has nothing to suggest', () => {
  expect(new NearestNames([]).find('x')).toEqual([]);
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
      const far = (name: string) => distance(wanted, name, naive);
      const sorted = [...names].sort((a, b) => far(a) - far(b) || (a < b ? -1 : 1));
      expect(new NearestNames(names).find(wanted, 3)).toEqual(sorted.slice(0, 3));
    }),
  );
});

const VERBS = ['get', 'list', 'create', 'update', 'delete', 'search', 'read', 'write', 'send', 'close'];
const NOUNS = ['issue', 'file', 'page', 'message', 'record', 'branch', 'event', 'user', 'channel', 'report'];
const MANY = Array.from({ length: 20 }, (_, server) =>
  VERBS.flatMap((verb) => NOUNS.map((noun) => `server_${server}__${verb}_${noun}`)),
).flat();
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz_'];
const typo = fc.record({ at: fc.nat(), letter: fc.constantFrom(...LETTERS), kind: fc.nat({ max: 2 }) });

function withTypos(name: string, typos: readonly { at: number; letter: string; kind: number }[]): string {
  return typos.reduce((text, { at, letter, kind }) => {
    const place = at % text.length;
    return text.slice(0, place) + (kind === 0 ? '' : letter) + text.slice(kind === 2 ? place : place + 1);
  }, name);
}

const part = (text: string) => (text.includes('__') ? text.slice(text.indexOf('__') + 2) : text);

function distance(wanted: string, name: string, edits: (a: string, b: string) => number): number {
  return Math.min(2 * edits(wanted, name), 2 * edits(part(wanted), part(name)) + 1);
}

test('of 2,000 names the closest to a name with two typos is as close as any', () => {
  const nearest = new NearestNames(MANY);
  fc.assert(
    fc.property(fc.constantFrom(...MANY), fc.array(typo, { minLength: 1, maxLength: 2 }), (name, typos) => {
      const wanted = withTypos(name, typos);
      const [found] = nearest.find(wanted, 1) as [string];
      const least = Math.min(...MANY.map((other) => distance(wanted, other, editDistance)));
      expect(distance(wanted, found, editDistance)).toBe(least);
    }),
    { numRuns: 50 },
  );
});

test('the tool that was most likely meant is found among 2,000, by its own name', () => {
  const nearest = new NearestNames(MANY);
  expect(nearest.tool('server_7__creat_isue')).toBe('server_7__create_issue');
  expect(nearest.tool('server_7__nothing_like_it')).toBeUndefined();
});
