import { BinderyError, type ErrorCode } from '../../contract/errors.ts';
import { HARM_LIMITS, THRESHOLDS } from '../config.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { HOUR_MS } from '../lifecycle/tally.ts';
import { strongestGate } from '../protection/protected-fields.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import { isSubmitter } from '../trust/submitters.ts';
import type { AmendmentVote } from './amendment-store.ts';
import type { FiledType } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import type { Amendment, Validation } from './item-types.ts';
import { mergeAmendment, protectedChangesOf, targetRefusal } from './merge-amendment.ts';
import type { SubmissionRecord } from './submission-record.ts';
import { voteStale } from './version-stale.ts';

const DAY_MS = 86_400_000;

/** The key of the salt that hashes the voters on an amendment. */
export function amendmentSaltKey(submissionId: string): string {
  return `submission:${submissionId}`;
}

/** Opens an amendment to votes, except by its author. */
export function openToVotes(desk: Desk, submissionId: string, address: string): void {
  const voter = desk.salts.underNew(amendmentSaltKey(submissionId), address);
  desk.store.amendments.putVote(submissionId, { voter, verdict: 'author', at: desk.clock.now() });
}

/** Advances an amendment after staging: it merges, is rejected, or waits for its gate. */
export function settleAmendment(desk: Desk, record: SubmissionRecord, amendment: Amendment): void {
  if (targetRefusal(desk, amendment)) {
    mergeOrReject(desk, record, amendment);
    return;
  }
  const changes = protectedChangesOf(desk, amendment);
  const gate = strongestGate(changes);
  if (gate === 'maintainer') {
    const reason = changes.find((change) => change.gate === 'maintainer')?.field ?? 'protected_field';
    askMaintainer(desk, record, reason);
    return;
  }
  const votes = desk.store.amendments.votes(record.id);
  // One objection is enough: an amendment that would have merged alone then needs consensus too.
  if (gate === 'consensus' || votes.some(({ verdict }) => verdict === 'reject')) {
    const agreement = agreementOn(votes);
    if (agreement === 'rejected') {
      desk.store.amendments.setOutcome(record.id, 'rejected_by_votes');
      endAmendment(desk, record, 'rejected');
    }
    if (agreement === 'contested') askMaintainer(desk, record, 'contested');
    else if (agreement === 'open') waitForVotes(desk, record);
    if (agreement !== 'confirmed') return;
  }
  const burst = burstReason(desk, amendment);
  if (burst) askMaintainer(desk, record, burst);
  else mergeOrReject(desk, record, amendment);
}

/** Counts a vote on an amendment; an injection flag sends it to the maintainer. */
export function voteOnAmendment(
  desk: Desk,
  validation: Validation,
  vote: { voter: string | undefined; isProbe: boolean },
): void {
  const { store, clock } = desk;
  const record = store.submission(validation.target_id);
  if (vote.voter === undefined || vote.isProbe || record?.status !== 'staged' || record.item.type !== 'amendment')
    return;
  store.amendments.putVote(record.id, { voter: vote.voter, verdict: validation.verdict, at: clock.now() });
  const wait = store.amendments.wait(record.id);
  if (wait?.gate === 'maintainer') return;
  if (validation.injection_flag) askMaintainer(desk, record, 'flagged');
  else if (wait) settleAmendment(desk, record, record.item);
}

/** The staged amendment that a validation is about. Throws if it takes no votes or has another base version. */
export function requireAmendment(desk: Desk, id: string, version: string): SubmissionRecord {
  const record = desk.store.submission(id);
  const isOpen = record?.status === 'staged' && desk.store.amendments.wait(id)?.gate !== 'maintainer';
  if (record?.item.type !== 'amendment' || !isOpen) throw new BinderyError('target_not_found');
  if (record.item.base_version !== version) {
    throw voteStale(`amendment ${id}`, record.item.base_version, 'base ');
  }
  return record;
}

/** Refuses a vote by the amendment's author. */
export function refuseAmendmentAuthor(desk: Desk, id: string, address: string): void {
  const authors = desk.store.amendments
    .votes(id)
    .flatMap(({ voter, verdict }) => (verdict === 'author' ? [voter] : []));
  if (isSubmitter(desk.salts.under(amendmentSaltKey(id), address), authors)) {
    throw new BinderyError('self_validation', { detail: 'This artefact cannot be validated from here.' });
  }
}

/** Merges an amendment on a maintainer's decision. Throws if it no longer applies. */
export function acceptAmendment(desk: Desk, record: SubmissionRecord): void {
  if (record.status !== 'staged' || record.item.type !== 'amendment') return;
  const refusal = mergeAmendment(desk, record, record.item, false);
  if (refusal === 'target_version_stale') throw staleForMaintainer(desk, record.item);
  if (refusal) throw new BinderyError(refusal);
  endAmendment(desk, record, 'merged');
}

/** Another change merged first; only the sender can adapt this one to the new text. */
function staleForMaintainer({ store }: Desk, { target_type, target_id, base_version }: Amendment): BinderyError {
  const [type, id] = artefactOf(target_type, target_id);
  const current = store.artefactHead(type, id)?.version ?? '';
  return new BinderyError('target_version_stale', {
    detail: `The change was made against version ${base_version}; ${target_type} ${target_id} has version ${current} now.`,
    next: `Reject it with a --reason that asks for the change against version ${current}; the sender reads it by session id.`,
    members: { current_version: current },
  });
}

/** Ends an amendment and deletes its votes. */
export function endAmendment({ store, salts }: Desk, record: SubmissionRecord, status: 'merged' | 'rejected'): void {
  store.updateSubmission(record.id, { status, stagedUntil: undefined, author: undefined });
  store.amendments.forget(record.id);
  salts.destroy(amendmentSaltKey(record.id));
}

/** Opens a queue item for a staged amendment, once. */
export function askMaintainer(desk: Desk, record: SubmissionRecord, reason: string): void {
  const { store, clock } = desk;
  if (store.amendments.wait(record.id)?.gate === 'maintainer') return;
  store.amendments.putWait(record.id, { gate: 'maintainer', since: clock.now() });
  store.updateSubmission(record.id, { stagedUntil: undefined });
  const changes = record.item.type === 'amendment' ? protectedChangesOf(desk, record.item) : [];
  openQueueItem(desk, 'amendment_review', {
    reason,
    targetType: record.targetType,
    targetId: record.targetId,
    submissionId: record.id,
    content: { item: record.item, protected: changes },
  });
}

/** Whether a submission waits for a maintainer now. An amendment of a protected field does so after its 24 hours. */
export function isForMaintainer({ store }: Desk, { id, status }: SubmissionRecord): boolean {
  // A concern beyond the daily limit of its target.
  if (status === 'received') return true;
  return status === 'staged' && store.amendments.wait(id)?.gate === 'maintainer';
}

function waitForVotes(desk: Desk, record: SubmissionRecord): void {
  const { store, clock } = desk;
  const now = clock.now();
  const since = store.amendments.wait(record.id)?.since ?? now;
  const until = since + THRESHOLDS.amendment.wait_hours * HOUR_MS;
  if (now >= until) {
    askMaintainer(desk, record, 'no_consensus');
    return;
  }
  store.amendments.putWait(record.id, { gate: 'consensus', since });
  store.updateSubmission(record.id, { stagedUntil: until });
}

/** The result of the votes: unanimous on enough days, contested, or open. A single opposing vote stops a ring of voters. */
export function agreementOn(votes: readonly AmendmentVote[]): 'confirmed' | 'rejected' | 'contested' | 'open' {
  const counted = votes.filter(({ verdict }) => verdict !== 'author');
  const confirms = counted.filter(({ verdict }) => verdict === 'confirm').length;
  const rejects = counted.length - confirms;
  if (confirms > 0 && rejects > 0) return 'contested';
  const days = new Set(counted.map(({ at }) => Math.floor(at / DAY_MS))).size;
  const limits = THRESHOLDS.amendment;
  if (days < limits.utc_days) return 'open';
  if (confirms >= limits.confirms) return 'confirmed';
  return rejects >= limits.rejects ? 'rejected' : 'open';
}

/** Why a merge would exceed a daily limit; undefined if it would not. */
function burstReason({ store, clock }: Desk, amendment: Amendment): 'artefact_burst' | 'corpus_burst' | undefined {
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  if (store.amendments.automaticMerges(today, { type, id }) >= HARM_LIMITS.merges_per_artefact_day) {
    return 'artefact_burst';
  }
  return store.amendments.automaticMerges(today) >= HARM_LIMITS.merges_per_corpus_day ? 'corpus_burst' : undefined;
}

function mergeOrReject(desk: Desk, record: SubmissionRecord, amendment: Amendment): void {
  const refusal: ErrorCode | undefined = mergeAmendment(desk, record, amendment, true);
  if (refusal) {
    desk.log.info('amendment rejected', { submission_id: record.id, code: refusal });
    desk.store.amendments.setOutcome(record.id, refusal);
  }
  endAmendment(desk, record, refusal ? 'rejected' : 'merged');
}
