import { saltKey } from '../lifecycle/record-event.ts';
import { applyChange, draftText } from '../submissions/apply-change.ts';
import { commitMessage } from '../submissions/commit-message.ts';
import { draftSaltKey } from '../submissions/commit-submission.ts';
import { type CorpusChange, FIRST_VERSION, type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { planMerge, reasonOf } from '../submissions/merge-amendment.ts';
import { endAmendment } from '../submissions/settle-amendment.ts';
import { isEdited, refreshCorpus } from '../submissions/settle-corpus.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { decideItem } from './decide-item.ts';
import { iso } from './queue-entry.ts';
import type { QueueItem } from './queue-item.ts';
import type { Proposal } from './review-store.ts';

/** Prefix of the branches of queue items. */
export const PROPOSAL_PREFIX = 'civic/';

/** The state of a branch on the remote. */
export type ProposalState = 'open' | 'merged' | 'closed';

/** Publishes queue items as branches and merge requests. */
export interface ProposalPort {
  /** Pulls changes that were merged on the remote. */
  pull(): Promise<void>;
  open(
    branch: string,
    file: { path: string; text: string },
    message: string,
  ): Promise<Pick<Proposal, 'number' | 'url' | 'remote'>>;
  state(proposal: Proposal): Promise<ProposalState>;
  /** Removes the branch and closes the request, once the item is decided. */
  close(proposal: Proposal): Promise<void>;
}

/**
 * Syncs branches and queue: an open item gets a branch, a branch merged or closed on the remote decides its item, and a decided item loses
 * its branch.
 */
export async function followProposals(desk: Desk, port: ProposalPort): Promise<void> {
  const { store } = desk;
  await port.pull();
  for (const queueId of store.review.proposedIds()) await followOne(desk, port, queueId);
  for (const queueClass of ['draft_review', 'amendment_review'] as const) {
    for (const item of store.queueItems('open', queueClass)) {
      if (item.submissionId !== undefined && !store.review.proposal(item.queueId)) await propose(desk, port, item);
    }
  }
}

/** Only removes the branches of decided items. */
export async function closeDecided(desk: Desk, port: ProposalPort): Promise<void> {
  const { store } = desk;
  for (const queueId of store.review.proposedIds()) {
    if (store.queueItem(queueId)?.decidedAt !== undefined) await followOne(desk, port, queueId);
  }
}

async function followOne(desk: Desk, port: ProposalPort, queueId: string): Promise<void> {
  const { store } = desk;
  const proposal = store.review.proposal(queueId);
  const item = store.queueItem(queueId);
  if (!proposal) return;
  const state = item && item.decidedAt === undefined ? await port.state(proposal) : 'decided';
  if (state === 'open') return;
  if (state === 'merged') {
    // Adopt its version and state before the item is settled. If the folder does not have it yet, the next run checks again.
    await port.pull();
    await refreshCorpus(desk);
    if (!isInFolder(desk, item as QueueItem)) return;
    await store.transact(() => settleMerged(desk, item as QueueItem, proposal));
  }
  if (state === 'closed') {
    const words = { note: `closed as ${proposal.branch}`, redact: false, take: true };
    await store.transact(() => decideItem(desk, queueId, 'reject', words));
  }
  await port.close(proposal);
  await store.transact(() => store.review.setProposal(queueId, undefined));
}

/** Creates the branch of an item. An item that no longer applies gets none and is decided here. */
async function propose(desk: Desk, port: ProposalPort, item: QueueItem): Promise<void> {
  const record = desk.store.submission(item.submissionId as string);
  const planned = record && plan(desk, record);
  if (!record || !planned) return;
  const { change, before, after, priorState } = planned;
  const path = filePathOf(change.type, change.id);
  // The branch must not contain the edit of a keeper.
  if (await isEdited(desk, change)) return;
  const applied = applyChange(change, change.kind === 'create' ? undefined : desk.files.read(path));
  if (applied.ok !== true) return;
  const branch = `${PROPOSAL_PREFIX}${record.id}`;
  const opened = await port.open(branch, { path, text: applied.text }, commitMessage(unreviewed(change)));
  const version = change.kind === 'merge' ? change.version : FIRST_VERSION;
  const proposal: Proposal = { branch, ...opened, path, before, after, version, priorState };
  await desk.store.transact(() => desk.store.review.setProposal(item.queueId, proposal));
}

/** The same change, for a branch that waits for its review. */
function unreviewed(change: CorpusChange): CorpusChange {
  if (change.kind === 'status' || change.why === undefined) return change;
  return { ...change, why: { ...change.why, reviewed: 'pending' } };
}

function plan(
  desk: Desk,
  record: SubmissionRecord,
): { change: CorpusChange; before: string; after: string; priorState: string } | undefined {
  const { item } = record;
  if (item.type === 'amendment' && record.status === 'staged') {
    const planned = planMerge(desk, record, item, false);
    return typeof planned === 'string' ? undefined : { ...planned, priorState: planned.artefact.state };
  }
  if (item.type !== 'draft' || record.status !== 'committed') return undefined;
  const text = draftText(item);
  const change = {
    kind: 'create' as const,
    type: item.target_type,
    id: item.proposed_id,
    text,
    why: reasonOf(record, false),
  };
  return { change, before: '', after: text, priorState: 'draft' };
}

/** Whether the folder contains the submission's change: a new artefact, or another version than its base. */
function isInFolder({ store }: Desk, { submissionId }: QueueItem): boolean {
  const record = store.submission(submissionId as string);
  const target = record && artefactOfRecord(record);
  const artefact = target && store.artefactHead(target.type, target.id);
  if (!record || !artefact) return false;
  return record.item.type !== 'amendment' || artefact.version !== record.item.base_version;
}

/** The branch was merged on the remote: records the merge, so that it can be reverted like any other. */
function settleMerged(desk: Desk, item: QueueItem, proposal: Proposal): void {
  const { store, clock, salts } = desk;
  const record = store.submission(item.submissionId as string);
  const decided = {
    decision: 'accept',
    decidedAt: clock.now(),
    note: `merged as ${proposal.branch} by ${iso(clock.now())}`,
  };
  store.updateQueueItem(item.queueId, decided);
  if (!record) return;
  store.review.setVerdict(record.id, { decision: 'accept' });
  const planned = artefactOfRecord(record);
  if (record.author !== undefined && planned) store.addMark(planned.type, planned.id, 'submitter', record.author);
  if (record.item.type === 'draft' && planned) {
    salts.rekey(draftSaltKey(record.id), saltKey(planned.type, planned.id));
    store.updateSubmission(record.id, { status: 'merged', author: undefined });
    return;
  }
  if (record.status !== 'staged' || !planned) return;
  const artefact = store.artefactHead(planned.type, planned.id);
  store.amendments.recordMerge({
    submissionId: record.id,
    type: planned.type,
    id: planned.id,
    mergedAt: clock.now(),
    version: artefact?.version ?? proposal.version,
    priorState: proposal.priorState,
    before: proposal.before,
    after: proposal.after,
    automatic: false,
    revertedAt: undefined,
  });
  endAmendment(desk, record, 'merged');
}

function artefactOfRecord({ item }: SubmissionRecord): { type: FiledType; id: string } | undefined {
  if (item.type === 'draft') return { type: item.target_type, id: item.proposed_id };
  if (item.type !== 'amendment') return undefined;
  return item.target_type === 'path_source'
    ? { type: 'path', id: item.target_id.split(':')[0] as string }
    : { type: item.target_type, id: item.target_id };
}
