import { BinderyError } from '../../contract/errors.ts';
import type { Desk } from '../submissions/desk.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { changeOf } from './case-change.ts';
import { evidenceOf } from './case-evidence.ts';
import { findingsOf } from './case-findings.ts';
import type { Case } from './case-shape.ts';
import { amendmentVotes, targetVotes } from './case-votes.ts';
import { burstPage } from './concern-burst.ts';
import { likeCases } from './like-cases.ts';
import { iso, toQueueEntry } from './queue-entry.ts';
import { QUEUE_DECISIONS } from './queue-item.ts';

/** Everything that a maintainer needs about a queue item, or about a submission without one. */
export function readCase(desk: Desk, id: string, from = 1): Case {
  const { store } = desk;
  const item = store.queueItem(id) ?? store.review.itemsAbout(id)[0];
  const record = store.submission(item?.submissionId ?? id);
  if (!item && !record) {
    throw new BinderyError('target_not_found', {
      detail: 'There is no queue item and no submission with this id.',
      next: 'See what waits with `bindery civic queue`.',
    });
  }
  const target = targetVotes(desk, item?.targetType ?? record?.targetType, item?.targetId ?? record?.targetId);
  const { change, protected: protectedChanges } = record ? changeOf(desk, record) : { protected: [] };
  const votes = record?.type === 'amendment' ? amendmentVotes(desk, record.id) : undefined;
  const burst = item && burstPage(desk, item, from);
  return {
    ...(item
      ? { queue: { ...toQueueEntry(desk, item), ...(item.note === undefined ? {} : { note: item.note }) } }
      : {}),
    decisions: item && item.decidedAt === undefined ? [...QUEUE_DECISIONS[item.queueClass]] : [],
    ...(record ? { submission: submissionOf(desk, record) } : {}),
    ...(target ? { target } : {}),
    ...(change ? { change } : {}),
    protected: protectedChanges,
    ...(votes ? { amendment_votes: votes } : {}),
    ...evidenceOf(desk, record?.item, target),
    findings: findingsOf(item),
    earlier: item ? likeCases(desk, item) : [],
    ...(burst ? { burst: { concerns: burst.concerns, from: burst.from, through: burst.through } } : {}),
    content: burst ?? item?.content ?? record?.item ?? null,
  };
}

function submissionOf({ store }: Desk, record: SubmissionRecord): NonNullable<Case['submission']> {
  const { item } = record;
  const message = item.type === 'amendment' ? item.rationale : item.type === 'draft' ? item.commit_message : undefined;
  const verdict = store.review.verdict(record.id);
  return {
    submission_id: record.id,
    type: record.type,
    status: record.status,
    received_at: iso(record.receivedAt),
    ...(record.stagedUntil === undefined ? {} : { staged_until: iso(record.stagedUntil) }),
    ...(message === undefined ? {} : { message }),
    ...(verdict ? { verdict } : {}),
  };
}
