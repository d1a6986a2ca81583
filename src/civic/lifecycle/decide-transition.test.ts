import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Status } from '../config.ts';
import type { Artefact, ArtefactType, Vote } from './artefact.ts';
import { decideTransition, demotion, nextDecisionAt, promotion } from './decide-transition.ts';
import { tallyVotes, wilsonLowerBound } from './tally.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-11-02T12:00:00Z');

function artefact(state: Status, changes: Partial<Artefact> = {}): Artefact {
  return {
    type: 'skill',
    id: 'a',
    version: '1.0.0',
    state,
    enteredAt: NOON,
    priorState: undefined,
    epoch: 0,
    votes: [],
    hasDeadCitation: false,
    ...changes,
  };
}

/** So many of each, the last one a day after the others. */
function votes(confirms: number, rejects: number, lastAt = NOON + DAY): Vote[] {
  const all = [
    ...Array.from({ length: confirms }, () => 'confirm' as const),
    ...Array.from({ length: rejects }, () => 'reject' as const),
  ];
  return all.map((verdict, seq) => ({ seq, verdict, at: seq === all.length - 1 ? lastAt : NOON }));
}

describe('alpha → beta [civic:L3]', () => {
  const at = NOON + DAY;
  test.each([
    ['three confirms on two days after 24 hours', artefact('alpha', { votes: votes(3, 0) }), at, 'beta'],
    ['one millisecond before 24 hours', artefact('alpha', { votes: votes(3, 0) }), at - 1, undefined],
    ['two confirms', artefact('alpha', { votes: votes(2, 0) }), at, undefined],
    ['three confirms on one day', artefact('alpha', { votes: votes(3, 0, NOON) }), at, undefined],
    ['three quarters', artefact('alpha', { votes: votes(3, 1) }), at, 'beta'],
    ['less than three quarters', artefact('alpha', { votes: votes(5, 2) }), at, undefined],
    ['a row with two confirms [civic:L4]', artefact('alpha', { type: 'reference', votes: votes(2, 0) }), at, 'beta'],
    ['a row with one confirm', artefact('alpha', { type: 'volatile_value', votes: votes(1, 0) }), at, undefined],
    ['a concern with two confirms', artefact('alpha', { type: 'concern', votes: votes(2, 0) }), at, 'beta'],
    ['a path with two confirms', artefact('alpha', { type: 'path', votes: votes(2, 0) }), at, undefined],
  ])('%s', (_, given, now, expected) => {
    expect(decideTransition(given, now)).toBe(expected);
  });
});

describe('beta → stable', () => {
  const at = NOON + 14 * DAY;
  test.each([
    ['eight confirms after 14 days', artefact('beta', { votes: votes(8, 0) }), at, 'stable'],
    ['one millisecond before 14 days', artefact('beta', { votes: votes(8, 0) }), at - 1, undefined],
    ['seven confirms', artefact('beta', { votes: votes(7, 0) }), at, undefined],
    ['nine of ten miss the bound', artefact('beta', { votes: votes(9, 1) }), at, undefined],
    ['ten of eleven reach it', artefact('beta', { votes: votes(10, 1) }), at, 'stable'],
    [
      'a dead citation holds it back [civic:L10]',
      artefact('beta', { votes: votes(8, 0), hasDeadCitation: true }),
      at,
      undefined,
    ],
    ['a row with five confirms [civic:L4]', artefact('beta', { type: 'reference', votes: votes(5, 0) }), at, 'stable'],
    ['a row with four', artefact('beta', { type: 'reference', votes: votes(4, 0) }), at, undefined],
    ['a row at three quarters', artefact('beta', { type: 'concern', votes: votes(6, 2) }), at, 'stable'],
    ['a row below', artefact('beta', { type: 'concern', votes: votes(8, 3) }), at, undefined],
  ])('%s', (_, given, now, expected) => {
    expect(decideTransition(given, now)).toBe(expected);
  });

  test('Wilson’s lower bounds are the published ones [civic:L4]', () => {
    const pairs = [
      [3, 0],
      [5, 0],
      [8, 0],
      [7, 1],
      [9, 1],
      [10, 1],
      [12, 1],
    ] as const;
    const published = [0.438, 0.566, 0.676, 0.529, 0.596, 0.623, 0.667];
    const off = pairs.map(([c, r], index) => Math.abs(wilsonLowerBound(c, r) - (published[index] as number)));
    expect(off.filter((difference) => difference > 0.001)).toEqual([]);
  });
});

describe('demotion [civic:L5]', () => {
  const at = NOON + DAY;
  test.each([
    ['beta falls with three rejects and less than half', artefact('beta', { votes: votes(2, 3) }), at, 'alpha'],
    ['beta stays at one half', artefact('beta', { votes: votes(3, 3) }), at, undefined],
    ['beta stays with two rejects', artefact('beta', { votes: votes(0, 2) }), at, undefined],
    [
      'rejects older than 30 days do not fell',
      artefact('beta', { votes: votes(0, 3) }),
      NOON + 30 * DAY + 1,
      undefined,
    ],
    ['rejects of exactly 30 days do', artefact('beta', { votes: votes(0, 3, NOON) }), NOON + 30 * DAY, 'alpha'],
    ['alpha is unlisted below one quarter', artefact('alpha', { votes: votes(0, 3) }), at, 'draft'],
    ['alpha stays at one quarter', artefact('alpha', { votes: votes(1, 3) }), at, undefined],
    ['stable falls at two fifths', artefact('stable', { votes: votes(6, 4) }), at, 'beta'],
    ['stable stays below', artefact('stable', { votes: votes(5, 3) }), at, undefined],
    ['stable stays with two rejects', artefact('stable', { votes: votes(0, 2) }), at, undefined],
    ['a quarantined one does not move', artefact('quarantined', { votes: votes(0, 9) }), at, undefined],
  ])('%s', (_, given, now, expected) => {
    expect(decideTransition(given, now)).toBe(expected);
  });
});

test('confirms that leave the window fell a stable artefact by time alone [civic:L5]', () => {
  const old = votes(6, 0, NOON);
  const rejects = Array.from({ length: 3 }, (_, n): Vote => ({ seq: 10 + n, verdict: 'reject', at: NOON + 29 * DAY }));
  const given = artefact('stable', { votes: [...old, ...rejects] });
  const due = nextDecisionAt(given, NOON + 29 * DAY) as number;
  expect([due, decideTransition(given, due - 1), decideTransition(given, due)]).toEqual([
    NOON + 30 * DAY + 1,
    undefined,
    'beta',
  ]);
});

const anyVotes = fc
  .array(fc.record({ verdict: fc.constantFrom('confirm' as const, 'reject' as const), hour: fc.nat(40 * 24) }), {
    maxLength: 25,
  })
  .map((list): Vote[] => list.map(({ verdict, hour }, seq) => ({ seq, verdict, at: NOON + hour * HOUR })));
const anyArtefact = fc
  .record({
    type: fc.constantFrom<ArtefactType>('skill', 'path', 'reference', 'volatile_value', 'concern'),
    state: fc.constantFrom<Status>('alpha', 'beta', 'stable', 'draft', 'quarantined'),
    votes: anyVotes,
    hasDeadCitation: fc.boolean(),
  })
  .map(({ state, ...rest }) => artefact(state, rest));

test('promotion and demotion are never both right', () => {
  fc.assert(
    fc.property(anyArtefact, fc.nat(60 * 24), (given, hours) => {
      const now = NOON + hours * HOUR;
      const tally = tallyVotes(given.votes, now, 30 * 24);
      expect(demotion(given, tally) !== undefined && promotion(given, tally, now) !== undefined).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test('the order of votes plays no part', () => {
  const shuffled = anyArtefact.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray([...given.votes], { minLength: given.votes.length })),
  );
  fc.assert(
    fc.property(shuffled, fc.nat(60 * 24), ([given, order], hours) => {
      const now = NOON + hours * HOUR;
      expect(decideTransition({ ...given, votes: order }, now)).toBe(decideTransition(given, now));
    }),
    { numRuns: 1000 },
  );
});
