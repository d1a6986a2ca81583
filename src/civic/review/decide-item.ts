import { BinderyError } from '../../contract/errors.ts';
import { type ArtefactType, isTerminal } from '../lifecycle/artefact.ts';
import { recordEvent, saltKey } from '../lifecycle/record-event.ts';
import { draftText } from '../submissions/apply-change.ts';
import { draftSaltKey, dropSubmission, nextStatus, takeEffect } from '../submissions/commit-submission.ts';
import { contentFaults } from '../submissions/content-faults.ts';
import type { Desk } from '../submissions/desk.ts';
import { fault, faultsError } from '../submissions/faults.ts';
import { reasonOf } from '../submissions/merge-amendment.ts';
import { acceptAmendment } from '../submissions/settle-amendment.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { refuseSelfValidation, requireTarget } from '../submissions/targets.ts';
import { burstOf, CONCERN_BURST, splitBurst } from './concern-burst.ts';
import { redactHold } from './erase-submission.ts';
import { requireUnclaimed } from './queue-entry.ts';
import { QUEUE_DECISIONS, type QueueItem } from './queue-item.ts';
import { revertMerge } from './revert-merge.ts';
import type { BeforeDecision } from './review-store.ts';

/** The version of a draft that becomes an artefact [SU24]. */
export const FIRST_VERSION = '0.1.0';

export interface DecideOptions {
  /** Stays with the maintainers. */
  readonly note: string | undefined;
  /** Goes back to the sender, who asks by session id. */
  readonly reason?: string | undefined;
  /** Released text goes on without what the scrub found in it. */
  readonly redact: boolean;
  /** Of a burst: how many of its concerns the maintainer has read. Only these are released. */
  readonly through?: number | undefined;
  /** Who decides; what another maintainer claimed is refused. */
  readonly by?: string | undefined;
  readonly take?: boolean | undefined;
}

/** Decides a queue item and does what the decision means. Belongs inside a transaction. */
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
  if (decision === 'release') splitBurst(desk, item, options.through);
  if (options.redact && item.queueClass === 'ner_hold' && decision === 'release') redactHold(desk, item);
  store.review.setBefore(queueId, beforeOf(desk, item));
  carryOut(desk, item, decision);
  store.review.setClaim(queueId, undefined);
  if (item.submissionId !== undefined) {
    store.review.setVerdict(item.submissionId, { decision, reason: options.reason });
  }
  store.updateQueueItem(queueId, { decision, decidedAt: clock.now(), note: options.note });
  return store.queueItem(queueId) as QueueItem;
}

/** What an undo needs to know and the decision takes away. */
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

/** What a hold keeps back: one submission, or all concerns of a burst. */
function heldBy(desk: Desk, item: QueueItem): SubmissionRecord[] {
  if (item.reason !== CONCERN_BURST) return [submissionOf(desk, item)];
  return burstOf(desk, item).flatMap((id) => desk.store.submission(id) ?? []);
}

/** Of what merged already, acceptance lets it stand and rejection undoes it. */
function decideAmendment(desk: Desk, record: SubmissionRecord, isAccepted: boolean): void {
  if (record.status === 'merged') {
    if (isAccepted) desk.store.amendments.markReviewed(record.id);
    else if (desk.store.amendments.merge(record.id)?.revertedAt === undefined) revertMerge(desk, record.id);
  } else if (isAccepted) acceptAmendment(desk, record);
  else rejectByMaintainer(desk, record);
}

function decideQuarantine(desk: Desk, item: QueueItem, decision: 'dismiss' | 'uphold'): void {
  const [type, id] = [item.targetType as ArtefactType, item.targetId as string];
  if (desk.store.artefact(type, id)?.state !== 'quarantined') return;
  if (decision === 'dismiss') desk.store.dismissFlaggers(type, id);
  recordEvent(desk, type, id, { kind: 'decided', decision });
}

/** A released submission goes on as if just received; what its target no longer takes is rejected [MQ3]. */
function decideHold(desk: Desk, record: SubmissionRecord, isReleased: boolean): void {
  if (record.status !== 'held_ner' && record.status !== 'received') return;
  if (!isReleased || !isStillWelcome(desk, record)) {
    rejectByMaintainer(desk, record);
    return;
  }
  const next = nextStatus(record.type, desk.clock.now());
  desk.store.updateSubmission(record.id, next.status === 'staged' ? next : { ...next, author: undefined });
  takeEffect(desk, record);
}

function isStillWelcome(desk: Desk, record: SubmissionRecord): boolean {
  const { item } = record;
  try {
    if (item.type === 'draft') return !desk.store.artefact(item.target_type, item.proposed_id);
    const artefact = requireTarget(desk, item);
    if (item.type === 'validation' && artefact && !record.isProbe) refuseSelfValidation(desk, artefact, record.author);
    return true;
  } catch (thrown) {
    if (thrown instanceof BinderyError) return false;
    throw thrown;
  }
}

/** A draft that was accepted and whose acceptance was undone: its file is there, and nobody sees it. */
function isWithdrawn({ store }: Desk, { submissionId, targetType, targetId }: QueueItem): boolean {
  const state = store.artefactHead(targetType as ArtefactType, targetId as string)?.state;
  return state === 'draft' && store.submission(submissionId as string)?.status === 'merged';
}

function decideDemoted(desk: Desk, item: QueueItem, isAccepted: boolean): void {
  const [type, id] = [item.targetType as ArtefactType, item.targetId as string];
  const artefact = desk.store.artefact(type, id);
  if (!artefact || isTerminal(artefact.state) || artefact.state !== 'draft') return;
  recordEvent(desk, type, id, { kind: 'decided', decision: isAccepted ? 'accept' : 'uphold' });
}

/** An accepted draft is an artefact: the checks run again, its salt becomes the artefact's, its author its first submitter. */
function decideDraft(desk: Desk, record: SubmissionRecord, isAccepted: boolean): void {
  const { item } = record;
  if (item.type !== 'draft') return;
  if (!isAccepted) {
    rejectByMaintainer(desk, record);
    return;
  }
  const { target_type: type, proposed_id: id } = item;
  if (desk.store.artefact(type, id)) throw new BinderyError('duplicate', { detail: 'This id is in use.' });
  const faults = contentFaults(desk, item);
  if (faults.length > 0) throw faultsError('schema_invalid', faults);
  recordEvent(desk, type, id, { kind: 'adopted', version: FIRST_VERSION, state: 'alpha' });
  desk.store.addIntent({ kind: 'create', type, id, text: draftText(item), why: reasonOf(record, false) });
  desk.salts.rekey(draftSaltKey(record.id), saltKey(type, id));
  if (record.author !== undefined) desk.store.addMark(type, id, 'submitter', record.author);
  desk.store.updateSubmission(record.id, { status: 'merged', author: undefined });
}

/** The sender reads that a maintainer decided; what for stands in the queue. */
function rejectByMaintainer(desk: Desk, record: SubmissionRecord): void {
  dropSubmission(desk, record, 'rejected');
  desk.store.amendments.setOutcome(record.id, 'rejected_by_maintainer');
}

function submissionOf(desk: Desk, item: QueueItem): SubmissionRecord {
  const record = desk.store.submission(item.submissionId ?? '');
  if (!record) throw new BinderyError('target_not_found');
  return record;
}
