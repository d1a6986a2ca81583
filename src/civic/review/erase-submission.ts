import { APPEAL_DAYS } from '../config.ts';
import type { MergeRecord } from '../submissions/amendment-store.ts';
import { dropSubmission } from '../submissions/commit-submission.ts';
import { filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Item } from '../submissions/item-types.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { fileOf, keepPrints, textBefore, textsOf } from './erasure-prints.ts';
import { takeDown } from './take-down.ts';
import { piecesOf } from './text-prints.ts';
import { KEPT, REDACTED } from './written-texts.ts';

const DAY_MS = 86_400_000;
/** For corpus files, where brackets would be syntax. */
const REDACTED_WORDS = 'redacted';
/** The decision on queue items about an erased submission. */
export const ERASED = 'erased';

/**
 * Erases the text of a submission from the store, and keeps prints to search for copies. A published concern is taken down, a pending
 * submission is rejected, and its queue items are closed. A merged text stays until it is reverted, because the revert needs it.
 */
export function eraseSubmission(desk: Desk, record: SubmissionRecord): void {
  const { store } = desk;
  const merge = store.amendments.merge(record.id);
  const isMerged = record.status === 'merged' && merge?.revertedAt === undefined;
  keepPrints(desk, record);
  if (!isMerged) redactCopies(desk, record, merge);
  if (isWaiting(record)) {
    dropSubmission(desk, record, 'rejected');
    store.amendments.setOutcome(record.id, ERASED);
  }
  if (record.type === 'concern') {
    takeDown(desk, record.id);
    // These submissions have the same words.
    for (const id of store.concerns.joined(record.id)) store.eraseSubmission(id, erasedItem(record.item));
  }
  redactJoined(desk, record.id);
  for (const { queueId, decidedAt } of store.review.itemsAbout(record.id)) {
    if (decidedAt !== undefined || isMerged) continue;
    store.updateQueueItem(queueId, { decision: ERASED, decidedAt: desk.clock.now() });
    store.review.setClaim(queueId, undefined);
  }
  store.eraseSubmission(record.id, erasedItem(record.item));
}

function isWaiting({ status, type }: SubmissionRecord): boolean {
  return (
    status === 'staged' ||
    status === 'held_ner' ||
    status === 'received' ||
    (type === 'draft' && status === 'committed')
  );
}

/** Later changes of the same file store its text before and after them, which includes this submission's text. */
function redactCopies(desk: Desk, record: SubmissionRecord, merge: MergeRecord | undefined): void {
  const path = fileOf(record);
  if (path === undefined) return;
  const before = textBefore(desk, record, merge);
  const words = textsOf(desk, record, merge)
    .flatMap(({ text }) => piecesOf(text))
    .filter((piece) => !before.includes(piece));
  if (words.length === 0) return;
  const rewrite = (text: string) => words.reduce((left, word) => left.replaceAll(word, REDACTED_WORDS), text);
  desk.store.amendments.rewriteMerges((type, id) => filePathOf(type, id) === path, rewrite);
  // The diff of a later change quotes the surrounding lines.
  desk.store.rewriteEnded((other) => fileOf(other) === path, rewrite);
  for (const queueId of desk.store.review.proposedIds()) {
    const proposal = desk.store.review.proposal(queueId);
    if (proposal?.path !== path) continue;
    const [old, after] = [rewrite(proposal.before), rewrite(proposal.after)];
    desk.store.review.setProposal(queueId, { ...proposal, before: old, after });
  }
}

/** Redacts queue items that quote several submissions: complaints about a provider, flags of an artefact, a burst of concerns. */
function redactJoined({ store }: Desk, submissionId: string): void {
  for (const queueClass of ['provider_eligibility', 'injection_quarantine', 'ner_hold'] as const) {
    for (const { queueId, content } of [
      ...store.queueItems('open', queueClass),
      ...store.queueItems('decided', queueClass),
    ]) {
      const redacted = withoutQuotes(content, submissionId);
      if (redacted !== content) store.updateQueueItem(queueId, { content: redacted });
    }
  }
}

/** The same content, without the text of one submission. */
function withoutQuotes(content: unknown, submissionId: string): unknown {
  const lists = Object.entries((content ?? {}) as Record<string, unknown>).filter(([, list]) => Array.isArray(list));
  const isQuoted = (one: unknown) => (one as { submission_id?: unknown } | null)?.submission_id === submissionId;
  if (!lists.some(([, list]) => (list as unknown[]).some(isQuoted))) return content;
  const redacted = lists.map(([name, list]) => [
    name,
    (list as object[]).map((one) => (isQuoted(one) ? emptied(one) : one)),
  ]);
  return { ...(content as object), ...Object.fromEntries(redacted) };
}

function emptied(quote: object): object {
  const isKept = ([name, value]: [string, unknown]) =>
    typeof value !== 'string' || name === 'submission_id' || KEPT.has(name);
  return Object.fromEntries(Object.entries(quote).map((one) => [one[0], isKept(one) ? one[1] : REDACTED]));
}

/** Erases rejected holds after the time to appeal; returns how many. */
export function eraseRejectedHolds(desk: Desk): number {
  const ids = desk.store.rejectedHolds(desk.clock.now() - APPEAL_DAYS * DAY_MS);
  for (const id of ids) {
    const record = desk.store.submission(id);
    if (record) desk.store.eraseSubmission(id, erasedItem(record.item));
  }
  return ids.length;
}

function erasedItem(item: Item): Item {
  const kept = Object.fromEntries(Object.entries(item).filter(([name]) => KEPT.has(name)));
  return { ...kept, ...(item.type === 'concern' ? { report: REDACTED } : {}) } as Item;
}
