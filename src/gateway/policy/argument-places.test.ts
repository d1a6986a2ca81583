import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArgumentFiles, refusedPath } from './argument-places.ts';
import { argumentStrings, isAtPlace, type NamedPlace, parseNamedPlace, pointerOf } from './argument-strings.ts';
import { cutBlanks } from './cut-ends.ts';
import { judgedWith } from './testing/plain-files.ts';

/** Every string, number and name of a value with the way to it, and whether it stands at a place, each question asked by itself. */
function naiveAt(value: unknown, place: NamedPlace): string[] {
  const found: string[] = [];
  const fits = (names: readonly string[], count: number) =>
    place.slice(0, count).every((segment, at) => segment === '*' || segment.toLowerCase() === names[at]?.toLowerCase());
  const visit = (node: unknown, names: readonly string[]): void => {
    // What is hidden in `__proto__` stands one level higher to some programs.
    const seen = names.filter((name) => name !== '__proto__');
    const isAtOrBelow = seen.length >= place.length && fits(seen, place.length);
    if (typeof node === 'string' && (isAtOrBelow || (seen.length < place.length && fits(seen, seen.length))))
      found.push(`value /${names.join('/')}`);
    if (typeof node === 'number' && isAtOrBelow) found.push(`number /${names.join('/')}`);
    if (typeof node !== 'object' || node === null) return;
    for (const [name, member] of Object.entries(node)) {
      const kind = Array.isArray(node) ? undefined : names.length === 0 ? 'top' : 'name';
      if (kind && isAtOrBelow) found.push(`${kind} /${[...names, name].join('/')}`);
      visit(member, [...names, name]);
    }
  };
  visit(value, []);
  return found.sort();
}

test('a string is at a place if a naive reader finds it at it, below it, or as a text above it', () => {
  const name = fc.constantFrom('a', 'A', 'b', 'c', '0');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('text', 7, null, true),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const place = fc.array(fc.constantFrom('a', 'b', '*', '0'), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(value, fc.array(place, { maxLength: 2 }), (given, wanted) => {
      const found = [...argumentStrings(given)].filter((string) => isAtPlace(string, wanted));
      expect(found.map((string) => `${string.kind} ${pointerOf(string) || '/'}`).sort()).toEqual(
        [...new Set(wanted.flatMap((one) => naiveAt(given, one)))].sort(),
      );
    }),
    { numRuns: 1_000 },
  );
  const hidden = JSON.parse('{"__proto__":{"a":"text"}}');
  expect([...argumentStrings(hidden)].filter((string) => isAtPlace(string, [['a']])).map(pointerOf)).toEqual([
    '/__proto__/a',
  ]);
});

test('strings come in the order of the arguments, the member names of an object before its values', () => {
  const value = { b: ['x', { c: 'y' }, 7], a: 'z', d: null };
  expect([...argumentStrings(value)].map(({ text, kind }) => `${kind} ${text}`)).toEqual([
    ...['top b', 'top a', 'top d', 'value x', 'name c', 'value y', 'number 7', 'value z'],
  ]);
  expect([[...argumentStrings('x')], [...argumentStrings(null)], [...argumentStrings(true)]]).toEqual([
    [{ text: 'x', kind: 'value', step: undefined }],
    [],
    [],
  ]);
});

test('a place is a JSON pointer below the arguments', () => {
  const texts = ['/a', '/a/b', '/a~1b/~0', '/a//b', '/a/', '', '/', 'a', 'a/', '/~', '/~2', '/a~'];
  expect(texts.map(parseNamedPlace)).toEqual([
    ['a'],
    ['a', 'b'],
    ['a/b', '~'],
    ['a', '', 'b'],
    ['a', ''],
    ...Array.from({ length: 7 }, () => undefined),
  ]);
});

/** A machine with these files, all of which are what they seem. */
const files = (more: Partial<ArgumentFiles> & { readonly there?: readonly string[] }): ArgumentFiles => ({
  cwd: '/srv/project',
  home: '/people/me',
  root: (written) => written,
  open: (path) => [new URL(path, 'file:///').pathname],
  exists: (path) => more.there?.includes(path) ?? false,
  ...more,
});

test.each([
  ['~/notes', [], undefined],
  ['~/./notes//more', [], undefined],
  ['~/notes/..', [], undefined],
  ['~/notes', ['/srv/project/~'], '/srv/project/~/notes'],
  ['~/../x', [], '/srv/project/x'],
])('an odd beginning, %s, is a folder where there is one, or where the rest steps out of it', (text, there, read) => {
  const rule = { roots: ['/people'], places: [['path']], line: 1, pointer: '' };
  expect(refusedPath(judgedWith({ path: text }, files({ there })), rule)?.read_as ?? undefined).toBe(read);
});

test('a relative path starts from the server’s folder, and is refused if that folder is unknown', () => {
  const rule = { roots: ['/srv/project/in'], places: [['path']], line: 1, pointer: '' };
  const judged = (path: string, cwd: ArgumentFiles['cwd'] = '/srv/project') =>
    refusedPath(judgedWith({ path }, files({ cwd })), rule)?.why;
  expect([
    judged('in/notes'),
    judged('out/notes'),
    judged('/srv/project/in'),
    judged('in/notes', { unknown: 'is nowhere' }),
  ]).toEqual([undefined, 'is outside of the allowed roots', undefined, 'is nowhere']);
});

test('without named places, a refusal says how to name them', () => {
  const whyOf = (places: readonly NamedPlace[] | undefined) =>
    refusedPath(judgedWith({ path: '/etc/x' }, files({})), { roots: ['/people'], line: 1, pointer: '', places })?.why;
  expect([whyOf([['path']]), whyOf(undefined)]).toEqual([
    'is outside of the allowed roots',
    expect.stringMatching(
      /^is outside of the allowed roots\. Without "path_arguments" every string is taken for a path/,
    ),
  ]);
});

test('only blanks and control characters around a text are removed', () => {
  const cut = Array.from({ length: 0x3100 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => cutBlanks(`${character}a ${character}`) === 'a',
  );
  const expected = Array.from({ length: 0x3100 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    /[\s\p{Cc}]/u.test(character),
  );
  expect([cut, cutBlanks(' '), cutBlanks('')]).toEqual([expected, '', '']);
});
