import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';
import type { FieldKind, FieldKinds } from './field-kinds.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { verdictOf } from './rules.ts';
import { type Finding, scrubSubmission } from './scrub-submission.ts';
import { scrubText } from './scrub-text.ts';

const HOSTS = ['a.example'];
const NUMBER = '85073003328';
const TEXTS = [
  'plain words',
  `niss ${NUMBER} fin`,
  'Mme Dupont attend',
  'see https://b.example/x today',
  'a long 123456789 run',
  '',
  'e\u0301 \u200bx',
];
const KEYS = ['note', 'id', 'entry', 'a/b~c', `niss ${NUMBER} x`, 'Mme Dupont', 'url_1', 'N°', 'é\u200bx'];

/** `/id` is closed, `/entry` and what is below it is of a path, everything else is free. */
const FIELDS: FieldKinds = [
  ['/id', 'closed'],
  ['/entry/**', 'path_entry'],
];
const kindAt = (path: readonly string[]): FieldKind =>
  path[0] === 'id' && path.length === 1 ? 'closed' : path[0] === 'entry' ? 'path_entry' : 'free_text';

type Placed = Finding & { readonly verdict: string };

/** Findings of a value, one string after the other. */
function naiveFindings(node: unknown, path: readonly string[] = [], pointer = ''): Placed[] {
  const found = (text: string, kind: FieldKind, more: object): Placed[] =>
    scrubText(text, kind, HOSTS).map((hit) => ({ ...hit, pointer, verdict: verdictOf(hit.rule, kind), ...more }));
  if (typeof node === 'string') return found(node, kindAt(path), {});
  if (typeof node === 'number')
    return Math.abs(node) < SCRUB_LIMITS.numberMin ? [] : found(String(node), kindAt(path), {});
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, member]) => {
    const below = [...path, key];
    const keyKind = kindAt(below) === 'path_entry' ? 'path_entry' : 'free_text';
    const inKey = Array.isArray(node) ? [] : found(key, keyKind, { in_key: true });
    const segment = key.replaceAll('~', '~0').replaceAll('/', '~1');
    return [...inKey, ...naiveFindings(member, below, inKey.length > 0 ? pointer : `${pointer}/${segment}`)];
  });
}

const byPlace = (a: Finding, b: Finding) =>
  a.pointer === b.pointer
    ? a.start - b.start || a.end - b.end || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
    : a.pointer < b.pointer
      ? -1
      : 1;
const withVerdict = (verdict: string, findings: readonly Placed[]) =>
  findings
    .filter((one) => one.verdict === verdict)
    .map(({ verdict: _, ...finding }) => finding)
    .sort(byPlace);

const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...TEXTS),
    fc.constantFrom(7, Number(NUMBER), -Number(NUMBER), SCRUB_LIMITS.numberMin, SCRUB_LIMITS.numberMin - 1, null, true),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('node'), { maxKeys: 4 }),
  ),
})).node;

test('[civic:PV5] [civic:PV6] [civic:PV7] every string and key is judged by its kind, and told by its place', () => {
  fc.assert(
    fc.property(value, (sent) => {
      const { rejects, holds, advisories } = scrubSubmission(sent, FIELDS, { linkHosts: HOSTS });
      const naive = naiveFindings(sent);
      // A number that goes on in a neighbour is another test's.
      const whole = rejects.filter((one) => naive.some((other) => byPlace(one, other) === 0));
      expect([whole, holds, advisories]).toEqual([
        withVerdict('reject', naive),
        withVerdict('hold', naive),
        withVerdict('advise', naive),
      ]);
    }),
    { numRuns: 500 },
  );
});

test('[civic:PV15] every string and key is cleaned in place', () => {
  const clean = (node: unknown): unknown =>
    typeof node === 'string'
      ? cleanText(node)
      : Array.isArray(node)
        ? node.map(clean)
        : typeof node === 'object' && node !== null
          ? Object.fromEntries(Object.entries(node).map(([key, member]) => [cleanText(key), clean(member)]))
          : node;
  fc.assert(
    fc.property(value, (sent) => {
      expect(scrubSubmission(sent, FIELDS).cleaned).toEqual(clean(sent));
    }),
    { numRuns: 200 },
  );
});

test('[civic:PV14] links are judged by a list of hosts, and without one not at all', () => {
  const sent = { note: 'see https://b.example/x today' };
  expect([scrubSubmission(sent, []).advisories, scrubSubmission(sent, [], { linkHosts: HOSTS }).advisories]).toEqual([
    [],
    [{ rule: 'foreign_link', pointer: '/note', start: 4, end: 21 }],
  ]);
});

const PLACES = Array.from({ length: NUMBER.length - 1 }, (_, index) => index + 1);

test.each(PLACES)(
  '[civic:PV12] a number that is parted after %i digits is found where it begins, and nowhere else',
  (at) => {
    const [left, right] = [`niss ${NUMBER.slice(0, at)}`, `${NUMBER.slice(at)} fin`];
    const hit = { rule: 'belgian_nrn', start: 5, end: left.length };
    const rejects = (sent: unknown) =>
      scrubSubmission(sent, [['/closed', 'closed']]).rejects.filter(({ rule }) => rule === 'belgian_nrn');
    expect([
      rejects([left, right]),
      rejects({ a: 'x', b: left, c: right, d: 'y' }),
      rejects({ a: left, b: 'between', c: right }),
      rejects({ a: left, closed: '7', c: right }),
      rejects({ a: left, c: null, d: right }),
      rejects({ report: left, other: 'between', notes: right }),
      rejects({ notes: right, other: 'between', report: left }),
      rejects({ report: left, notes: right }),
      rejects([[left], right]),
    ]).toEqual([
      [{ ...hit, pointer: '/0' }],
      [{ ...hit, pointer: '/b' }],
      [],
      [],
      [],
      [{ ...hit, pointer: '/report' }],
      [{ ...hit, pointer: '/report' }],
      [{ ...hit, pointer: '/report' }],
      [],
    ]);
  },
);

test('[civic:PV12] a number in three strings is found in the first, beside whole ones', () => {
  const rejects = scrubSubmission(['x 8507', '3003', `328 and ${NUMBER}`, `${NUMBER}`], []).rejects;
  expect(rejects.map(({ pointer, start, end }) => [pointer, start, end])).toEqual([
    ['/0', 2, 6],
    ['/2', 8, 19],
    ['/3', 0, 11],
  ]);
});

test('[civic:PV12] a number must stand near the seam', () => {
  const far = (blanks: number) =>
    scrubSubmission([`niss ${NUMBER.slice(0, 5)}`, `${'\u200b'.repeat(blanks)}${NUMBER.slice(5)}`], []).rejects.length;
  expect([far(SCRUB_LIMITS.seamCharsMax - 1), far(SCRUB_LIMITS.seamCharsMax)]).toEqual([1, 0]);
});
