import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ARTEFACT_TYPES, type Artefact } from './artefact.ts';
import { decideTransition } from './decide-transition.ts';
import { HOUR_MS } from './tally.ts';
import { voteProgress } from './vote-progress.ts';

const NOW = Date.parse('2026-11-02T12:00:00Z');

const artefacts: fc.Arbitrary<Artefact> = fc
  .record({
    type: fc.constantFrom(...ARTEFACT_TYPES),
    state: fc.constantFrom(
      'draft' as const,
      'alpha' as const,
      'beta' as const,
      'stable' as const,
      'quarantined' as const,
    ),
    hours: fc.constantFrom(0, 23, 24, 30, 335, 336, 400, 1000),
    hasDeadCitation: fc.boolean(),
    votes: fc.array(fc.record({ reject: fc.boolean(), hours: fc.integer({ min: 0, max: 900 }) }), { maxLength: 16 }),
  })
  .map(({ type, state, hours, hasDeadCitation, votes }) => ({
    type,
    id: 'x',
    version: '1.0.0',
    state,
    enteredAt: NOW - hours * HOUR_MS,
    priorState: undefined,
    epoch: 0,
    hasDeadCitation,
    votes: votes.map((vote, seq) => ({
      seq,
      verdict: vote.reject ? ('reject' as const) : ('confirm' as const),
      at: NOW - vote.hours * HOUR_MS,
    })),
  }));

test('the first transition whose conditions are all met is the one that is decided', () => {
  fc.assert(
    fc.property(artefacts, (artefact) => {
      const { toward } = voteProgress(artefact, NOW);
      const next = toward.find(({ conditions }) => conditions.every(({ met }) => met))?.to;
      expect(next).toBe(decideTransition(artefact, NOW));
    }),
    { numRuns: 2000 },
  );
});
