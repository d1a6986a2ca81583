import { z } from 'zod';
import { CIVIC_LIMITS } from '../config.ts';
import { strongestGate } from '../protection/protected-fields.ts';
import type { Desk } from './desk.ts';
import { stagedChangesOf } from './merge-amendment.ts';

export const AmendmentList = z.object({
  amendments: z.array(
    z.object({
      submission_id: z.string(),
      target_type: z.string(),
      target_id: z.string(),
      base_version: z.string(),
      content: z.unknown(),
      rationale: z.string(),
      evidence_url: z.string(),
      protected: z.array(z.object({ field: z.string(), gate: z.string(), reason: z.string() })),
      confirms: z.int(),
      rejects: z.int(),
    }),
  ),
  total: z.int(),
});
export type AmendmentList = z.output<typeof AmendmentList>;

/** The staged amendments that others can vote on. What waits for the maintainer is shown to nobody else. */
export function listAmendments(desk: Desk, target: { type: string; id: string } | undefined): AmendmentList {
  const { amendments: kept } = desk.store;
  const amendments = kept.staged(target, CIVIC_LIMITS.amendments_listed_max).flatMap(({ id, item }) => {
    if (item.type !== 'amendment' || kept.wait(id)?.gate === 'maintainer') return [];
    const changes = stagedChangesOf(desk, id, item);
    if (strongestGate(changes) === 'maintainer') return [];
    const votes = kept.votes(id);
    return [
      {
        submission_id: id,
        target_type: item.target_type,
        target_id: item.target_id,
        base_version: item.base_version,
        content: item.content,
        rationale: item.rationale,
        evidence_url: item.evidence_url,
        protected: changes.map((change) => ({ ...change })),
        confirms: votes.filter(({ verdict }) => verdict === 'confirm').length,
        rejects: votes.filter(({ verdict }) => verdict === 'reject').length,
      },
    ];
  });
  return { amendments, total: amendments.length };
}
