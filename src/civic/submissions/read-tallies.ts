import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { STATUSES } from '../config.ts';
import { schemaInvalid } from '../failures.ts';
import { ARTEFACT_TYPES, type ArtefactType, takesVotes } from '../lifecycle/artefact.ts';
import { voteProgress } from '../lifecycle/vote-progress.ts';
import { Votes } from '../review/case-shape.ts';
import type { Desk } from './desk.ts';
import { fault } from './faults.ts';

const SCORES = [1, 2, 3, 4, 5] as const;

export const Tallies = z.object({
  target_type: z.string(),
  target_id: z.string(),
  version: z.string(),
  status: z.enum(STATUSES),
  votes: Votes,
  ratings: z.array(
    z.object({
      axis: z.string(),
      count: z.int(),
      mean: z.number(),
      scores: z.array(z.int()).describe('How often 1, 2, 3, 4 and 5 were given.'),
    }),
  ),
});
export type Tallies = z.output<typeof Tallies>;

/** Counted votes and ratings of a public artefact: numbers only, nothing about voters. */
export function readTallies({ store, clock }: Desk, targetType: string, targetId: string): Tallies {
  if (!(ARTEFACT_TYPES as readonly string[]).includes(targetType)) {
    throw schemaInvalid([fault('/target_type', 'enum', `is not one of ${ARTEFACT_TYPES.join(', ')}`)]);
  }
  const artefact = store.artefact(targetType as ArtefactType, targetId);
  if (!artefact || !takesVotes(artefact.state)) throw new BinderyError('target_not_found');
  const byAxis = Map.groupBy(store.review.scores(targetType, targetId), ({ axis }) => axis);
  return {
    target_type: targetType,
    target_id: targetId,
    version: artefact.version,
    status: artefact.state,
    votes: voteProgress(artefact, clock.now()),
    ratings: [...byAxis].map(([axis, given]) => {
      const scores = SCORES.map((score) => given.find((one) => one.score === score)?.count ?? 0);
      const count = scores.reduce((sum, one) => sum + one, 0);
      const total = scores.reduce((sum, one, index) => sum + one * (index + 1), 0);
      return { axis, count, mean: Math.round((total / count) * 100) / 100, scores };
    }),
  };
}
