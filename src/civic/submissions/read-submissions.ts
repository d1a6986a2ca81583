import { z } from 'zod';
import { schemaInvalid } from '../failures.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { utcDay } from '../trust/salts.ts';
import { CONCERN_VERSION } from './concern-version.ts';
import type { Desk } from './desk.ts';
import { fault } from './faults.ts';
import { SESSION_ID } from './ids.ts';
import { TARGET_TYPES } from './item-types.ts';
import { isForMaintainer } from './settle-amendment.ts';
import type { SubmissionRecord, SubmissionStatus } from './submission-record.ts';
import { afterStale } from './version-stale.ts';

const STATUSES = [
  'received',
  'staged',
  'held_ner',
  'committed',
  'merged',
  'rejected',
  'cancelled',
] as const satisfies readonly SubmissionStatus[];

export const StatusList = z.object({
  session_id: z.string(),
  submissions: z.array(
    z.object({
      submission_id: z.string(),
      type: z.string(),
      status: z.enum(STATUSES),
      target_type: z.string().optional(),
      target_id: z.string().optional(),
      review: z.object({ decision: z.string(), reason: z.string().optional() }).optional(),
      code: z
        .string()
        .optional()
        .describe('Why it was rejected: a problem code, rejected_by_votes, rejected_by_maintainer or erased.'),
      current_version: z.string().optional().describe('What to base the change on, where its version is no more.'),
      next: z.string().optional().describe('What to do about it.'),
    }),
  ),
});
export type StatusList = z.output<typeof StatusList>;

/**
 * A session's submissions and the maintainer's answers: no content, no votes, no times. An unknown session gets an empty list [SU23, C10].
 */
export function statusOfSession(desk: Desk, sessionId: string): StatusList {
  const { store } = desk;
  if (!SESSION_ID.test(sessionId)) {
    throw schemaInvalid([fault('/session_id', 'pattern', 'is not ses_ and a UUID of version 7')]);
  }
  const submissions = store.submissionsOfSession(sessionId).map((record) => {
    const review = store.review.verdict(record.id);
    return {
      submission_id: record.id,
      type: record.type,
      status: isForMaintainer(desk, record) ? 'held_ner' : record.status,
      ...(record.targetType === undefined ? {} : { target_type: record.targetType }),
      ...(record.targetId === undefined ? {} : { target_id: record.targetId }),
      ...(record.status === 'rejected' ? outcomeOf(store, record) : {}),
      ...(review ? { review } : {}),
    };
  });
  return { session_id: sessionId, submissions };
}

type Outcome = Pick<StatusList['submissions'][number], 'code' | 'current_version' | 'next'>;

/** Why a submission was rejected, and what its sender can do. */
function outcomeOf(store: Desk['store'], { id, targetType = '', targetId = '' }: SubmissionRecord): Outcome {
  const code = store.amendments.outcome(id);
  if (code !== 'target_version_stale') return code === undefined ? {} : { code };
  const [type, artefactId] = artefactOf(targetType, targetId);
  const current = store.artefactHead(type, artefactId)?.version;
  if (current === undefined) return { code };
  return { code, current_version: current, next: afterStale(`${targetType} ${targetId}`, current) };
}

export const ConcernList = z.object({
  concerns: z.array(
    z.object({
      concern_id: z.string(),
      version: z.string().describe('What a validation of the concern names as target_version.'),
      target_type: z.string(),
      target_id: z.string(),
      kind: z.string(),
      scope: z.string(),
      report: z.string(),
      status: z.string(),
      accepted_on: z.string(),
      reports: z.int().describe('How often it was sent; equal concerns are listed once.'),
    }),
  ),
  total: z.int(),
});
export type ConcernList = z.output<typeof ConcernList>;

/** Public concerns on a target, with the date of acceptance but no time. */
export function listConcerns({ store }: Desk, targetType: string, targetId: string): ConcernList {
  if (!(TARGET_TYPES.concern as readonly string[]).includes(targetType)) {
    throw schemaInvalid([fault('/target_type', 'enum', `is not one of ${TARGET_TYPES.concern.join(', ')}`)]);
  }
  const concerns = store.concernsOn(targetType, targetId).map(({ id, item, state, receivedAt, reports }) => ({
    concern_id: id,
    version: CONCERN_VERSION,
    target_type: item.target_type,
    target_id: item.target_id,
    kind: item.kind,
    scope: item.scope,
    report: item.report,
    status: state,
    accepted_on: utcDay(receivedAt),
    reports,
  }));
  return { concerns, total: concerns.length };
}
