import { BinderyError } from '../../contract/errors.ts';
import type { ArtefactType } from '../lifecycle/artefact.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import type { Desk } from '../submissions/desk.ts';
import { fault, faultsError } from '../submissions/faults.ts';
import { burstOf, CONCERN_BURST } from './concern-burst.ts';
import { decideAmendment } from './decide-amendment.ts';
import { decideDemoted, decideDraft, isWithdrawn } from './decide-draft.ts';
import { decideHold, prepareRelease } from './decide-hold.ts';
import { requireUnclaimed } from './queue-entry.ts';
import { QUEUE_DECISIONS, type QueueItem } from './queue-item.ts';
import type { BeforeDecision } from './review-store.ts';

export interface DecideOptions {
  /** For maintainers only. */
  readonly note: string | undefined;
  /** For the sender, who reads it by session id. */
  readonly reason?: string | undefined;
  /** Releases the text without the findings of the scrub. */
  readonly redact: boolean;
  /** For a burst: how many of its concerns the maintainer has read. Only these are released. */
  readonly through?: number | undefined;
  /** The deciding maintainer; refused if another one claimed the item. */
  readonly by?: string | undefined;
  readonly take?: boolean | undefined;
}

/** Decides a queue item and carries the decision out. Call it inside a transaction. */
export function decideItem(desk: Desk, queueId: string, decision: string, options: DecideOptions): QueueItem {
  const { store, clock } = desk;
  const item = store.queueItem(queueId);
  if (!item) throw new BinderyError('target_not_found');
  if (item.decidedAt !== undefined) throw new BinderyError('already_decided');
  requireUnclaimed(desk, queueId, options);
  const possible: readonly string[] = QUEUE_DECISIONS[item.queueClass];
  if (!possible.includes(decision)) {
    throw faultsError('schema_invalid', [fault('/decision', 'enum', `is not one of ${possible.join(', ')}`)]);
  }
  if (decision === 'release') prepareRelease(desk, item, options);
  store.review.setBefore(queueId, beforeOf(desk, item));
  carryOut(desk, item, decision);
  store.review.setClaim(queueId, undefined);
  if (item.submissionId !== undefined) {
    store.review.setVerdict(item.submissionId, { decision, reason: options.reason });
  }
  store.updateQueueItem(queueId, { decision, decidedAt: clock.now(), note: options.note });
  return store.queueItem(queueId) as QueueItem;
}

/** State that an undo needs and the decision destroys. */
function beforeOf({ store }: Desk, { queueClass, targetType, targetId = '' }: QueueItem): BeforeDecision | undefined {
  if (queueClass === 'provider_eligibility') return { wasRemoved: store.removedProviders().has(targetId) };
  if (queueClass !== 'injection_quarantine') return undefined;
  const artefact = store.artefactHead(targetType as ArtefactType, targetId);
  return artefact && { state: artefact.state, priorState: artefact.priorState };
}

function carryOut(desk: Desk, item: QueueItem, decision: string): void {
  switch (item.queueClass) {
    case 'injection_quarantine':
      decideQuarantine(desk, item, decision as 'dismiss' | 'uphold');
      return;
    case 'ner_hold':
      for (const record of heldBy(desk, item)) decideHold(desk, record, decision === 'release');
      return;
    case 'draft_review':
      if (item.submissionId === undefined || isWithdrawn(desk, item)) decideDemoted(desk, item, decision === 'accept');
      else decideDraft(desk, submissionOf(desk, item), decision === 'accept');
      return;
    case 'amendment_review':
      decideAmendment(desk, submissionOf(desk, item), decision === 'accept');
      return;
    case 'provider_eligibility':
      desk.store.setProviderRemoved(item.targetId ?? '', decision === 'remove' ? 'decided in the queue' : undefined);
      return;
    case 'feedback_triage':
    case 'protocol_amendment':
  }
}

function decideQuarantine(desk: Desk, item: QueueItem, decision: 'dismiss' | 'uphold'): void {
  const [type, id] = [item.targetType as ArtefactType, item.targetId as string];
  if (desk.store.artefact(type, id)?.state !== 'quarantined') return;
  if (decision === 'dismiss') desk.store.dismissFlaggers(type, id);
  recordEvent(desk, type, id, { kind: 'decided', decision });
}

/** The held submissions: one, or all concerns of a burst. */
function heldBy(desk: Desk, item: QueueItem) {
  if (item.reason !== CONCERN_BURST) return [submissionOf(desk, item)];
  return burstOf(desk, item).flatMap((id) => desk.store.submission(id) ?? []);
}

function submissionOf(desk: Desk, item: QueueItem) {
  const record = desk.store.submission(item.submissionId ?? '');
  if (!record) throw new BinderyError('target_not_found');
  return record;
}
