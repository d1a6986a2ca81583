import { z } from 'zod';
import { CIVIC_LIMITS } from '../config.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { strongestGate } from '../protection/protected-fields.ts';
import { type FiledType, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import { stagedChangesOf, tryAmendment } from './merge-amendment.ts';
import { unifiedDiff } from './unified-diff.ts';

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
      diff: z.string().describe('Unified, against the file as it is now; empty where it does not apply.'),
      gate: z.enum(['alone', 'consensus']).describe('alone: it merges when its staging ends.'),
      staged_until: z.string().optional(),
      protected: z.array(z.object({ field: z.string(), gate: z.string(), reason: z.string() })),
      confirms: z.int(),
      rejects: z.int(),
    }),
  ),
  total: z.int(),
});
export type AmendmentList = z.output<typeof AmendmentList>;

/**
 * Public staged amendments, during their day and while votes are open. Amendments that wait for a maintainer are left out: a foreign link
 * must not be readable before it is reviewed.
 */
export function listAmendments(desk: Desk, target: { type: string; id: string } | undefined): AmendmentList {
  const { amendments: kept } = desk.store;
  const amendments = kept.staged(target, CIVIC_LIMITS.amendments_listed_max).flatMap(({ id, item, stagedUntil }) => {
    if (item.type !== 'amendment' || kept.wait(id)?.gate === 'maintainer') return [];
    const changes = stagedChangesOf(desk, id, item);
    const gate = strongestGate(changes);
    if (gate === 'maintainer') return [];
    const [type, artefactId] = artefactOf(item.target_type, item.target_id) as [FiledType, string, string?];
    const tried = tryAmendment(desk, item);
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
        diff: tried.ok === true ? unifiedDiff(filePathOf(type, artefactId), tried.before, tried.after) : '',
        gate,
        ...(stagedUntil === undefined ? {} : { staged_until: new Date(stagedUntil).toISOString() }),
        protected: changes.map((change) => ({ ...change })),
        confirms: votes.filter(({ verdict }) => verdict === 'confirm').length,
        rejects: votes.filter(({ verdict }) => verdict === 'reject').length,
      },
    ];
  });
  return { amendments, total: amendments.length };
}
