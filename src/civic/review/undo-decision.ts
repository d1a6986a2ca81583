import { BinderyError } from '../../contract/errors.ts';
import type { Status } from '../config.ts';
import { type Artefact, type ArtefactType, takesVotes } from '../lifecycle/artefact.ts';
import { recordEvent, saltKey } from '../lifecycle/record-event.ts';
import { FIRST_VERSION, type FiledType } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { CONCERN_BURST } from './concern-burst.ts';
import type { QueueItem } from './queue-item.ts';
import { revertMerge } from './revert-merge.ts';

/** The result of an undo: the item is open again, or its merge is reverted. */
export type Undone = 'reopened' | 'reverted';

/**
 * Undoes a decision as far as possible; deleted address hashes stay deleted. Throws if the corpus has moved on, and says what to do
 * instead. Call it inside a transaction.
 */
export function undoDecision(desk: Desk, queueId: string): Undone {
  const { store } = desk;
  const item = store.queueItem(queueId);
  if (!item) throw new BinderyError('target_not_found');
  if (item.decidedAt === undefined || item.decision === undefined) throw notUndoable('It is not decided.');
  if (item.queueClass === 'amendment_review' && item.decision === 'accept') {
    revertMerge(desk, item.submissionId as string);
    return 'reverted';
  }
  takeBack(desk, item);
  store.updateQueueItem(queueId, { decision: undefined, decidedAt: undefined, note: undefined });
  store.review.setBefore(queueId, undefined);
  if (item.submissionId !== undefined) store.review.setVerdict(item.submissionId, undefined);
  return 'reopened';
}

function takeBack(desk: Desk, item: QueueItem): void {
  switch (item.queueClass) {
    case 'ner_hold':
      holdAgain(desk, item);
      return;
    case 'draft_review':
      reviewDraftAgain(desk, item);
      return;
    case 'amendment_review':
      reviewAmendmentAgain(desk, item);
      return;
    case 'injection_quarantine':
      quarantineAgain(desk, item);
      return;
    case 'provider_eligibility':
      desk.store.setProviderRemoved(
        item.targetId ?? '',
        desk.store.review.before(item.queueId)?.wasRemoved ? 'decided in the queue' : undefined,
      );
      return;
    case 'feedback_triage':
    case 'protocol_amendment':
  }
}

function holdAgain(desk: Desk, item: QueueItem): void {
  if (item.reason === CONCERN_BURST) {
    throw notUndoable('The concerns of the burst were listed or dropped. Take single ones down instead.');
  }
  const record = requireText(desk, item);
  const isRejected = item.decision === 'reject' && record.status === 'rejected';
  const isStaged = record.status === 'staged' && desk.store.amendments.wait(record.id) === undefined;
  if (!isRejected && !isStaged) {
    throw notUndoable(
      record.type === 'concern'
        ? 'The concern is published. Take it down instead.'
        : `The submission is ${record.status} and went on since.`,
    );
  }
  desk.store.updateSubmission(record.id, { status: 'held_ner', stagedUntil: undefined });
}

function reviewAmendmentAgain(desk: Desk, item: QueueItem): void {
  const record = requireText(desk, item);
  if (record.status !== 'rejected') throw notUndoable(`The submission is ${record.status}.`);
  // Its salt is deleted, so it takes no votes: only a maintainer can decide it.
  desk.store.updateSubmission(record.id, { status: 'staged', stagedUntil: undefined });
  desk.store.amendments.putWait(record.id, { gate: 'maintainer', since: desk.clock.now() });
}

function reviewDraftAgain(desk: Desk, item: QueueItem): void {
  const { store } = desk;
  const [type, id] = [item.targetType as FiledType, item.targetId as string];
  const artefact = store.artefact(type, id);
  if (item.submissionId !== undefined && item.decision === 'reject' && !artefact) {
    const record = requireText(desk, item);
    if (record.status !== 'rejected') throw notUndoable(`The submission is ${record.status}.`);
    if (store.hasPendingDraft(type, id)) throw notUndoable('Another draft of this id waits. Decide that one.');
    store.updateSubmission(record.id, { status: 'committed' });
    return;
  }
  if (!artefact || !isAsDecided(artefact, item))
    throw notUndoable('The artefact went on since. Amend or flag it instead.');
  recordEvent(desk, type, id, { kind: 'adopted', version: artefact.version, state: 'draft' });
  store.addIntent({ kind: 'status', type, id, status: 'draft' });
}

/** Whether the artefact is unchanged since its draft was accepted, or a demoted one was decided. */
function isAsDecided({ state, version, votes }: Artefact, { decision, submissionId }: QueueItem): boolean {
  if (decision === 'reject') return state === 'retracted';
  return state === 'alpha' && votes.length === 0 && (submissionId === undefined || version === FIRST_VERSION);
}

function quarantineAgain(desk: Desk, item: QueueItem): void {
  const { store, salts } = desk;
  const [type, id] = [item.targetType as ArtefactType, item.targetId as string];
  const artefact = store.artefact(type, id);
  const before = store.review.before(item.queueId);
  // The flag quarantined nothing, so there is nothing to undo.
  if (before?.state !== 'quarantined') return;
  if (item.decision === 'uphold' && artefact?.state === 'retracted') {
    const state = (before.priorState ?? 'alpha') as Status;
    recordEvent(desk, type, id, { kind: 'adopted', version: artefact.version, state });
    if (state === 'alpha' || state === 'beta') salts.mint(saltKey(type, id));
  } else if (!artefact || !takesVotes(artefact.state)) {
    throw notUndoable('The artefact is no longer served.');
  }
  recordEvent(desk, type, id, { kind: 'flag', counted: true });
}

/** The submission of an item. Throws if its text was erased. */
function requireText({ store }: Desk, item: QueueItem): SubmissionRecord {
  const record = store.submission(item.submissionId ?? '');
  if (!record || item.content === undefined) throw notUndoable('The text of the submission is erased.');
  return record;
}

function notUndoable(detail: string): BinderyError {
  return new BinderyError('not_undoable', { detail });
}
