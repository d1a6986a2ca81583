import { BinderyError } from '../../contract/errors.ts';
import { APPEAL_DAYS, ID_PATTERN } from '../config.ts';
import { takesVotes } from '../lifecycle/artefact.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import { DETECTED } from '../scrub/detector.ts';
import { type Finding, scrubSubmission } from '../scrub/scrub-submission.ts';
import type { MergeRecord } from '../submissions/amendment-store.ts';
import { dropSubmission } from '../submissions/commit-submission.ts';
import { type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { valueAt } from '../submissions/faults.ts';
import { fieldKindsOf } from '../submissions/field-kinds.ts';
import type { Item } from '../submissions/item-types.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import type { QueueItem } from './queue-item.ts';
import { type MemberText, piecesOf, printsOf, TextPrinter, withoutPrints } from './text-prints.ts';
import { KEPT, linesMerged, writtenTexts } from './written-texts.ts';

const DAY_MS = 86_400_000;
const REDACTED = '[redacted]';
/** In files of the corpus, where brackets would mean something. */
const REDACTED_WORDS = 'redacted';
/** Ends the questions about what is erased. */
export const ERASED = 'erased';

/**
 * Erases what a person wrote of a submission, wherever the store keeps it, and keeps prints to look for it by. A published
 * concern is taken down with it, what waits is rejected, and questions about it leave the queue. What is merged stays until
 * it is reverted: the merge is what it takes to do that.
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
    // Others said the same words.
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

/** What looks for the erased texts of this store. */
export function erasurePrinter({ salts }: Desk): TextPrinter {
  return new TextPrinter(salts.keyFor('erasure'));
}

/** The text as it was before the submission: what stands in it is not the sender's. */
function textBefore(desk: Desk, record: SubmissionRecord, merge: MergeRecord | undefined): string {
  if (merge) return merge.before;
  const path = fileOf(record);
  return path === undefined || record.status === 'merged' ? '' : (desk.files.read(path) ?? '');
}

/** The file of the corpus that a submission is about. */
export function fileOf({ targetType, targetId }: SubmissionRecord): string | undefined {
  if (targetType === undefined || targetId === undefined) return undefined;
  const [type, id] = artefactOf(targetType, targetId);
  const isFiled = type === 'skill' || type === 'path' || type === 'volatile_value' || type === 'reference';
  return isFiled && isTargetId(type, id) ? filePathOf(type, id) : undefined;
}

function isTargetId(type: FiledType, id: string): boolean {
  return type === 'volatile_value' || type === 'reference' || ID_PATTERN.test(id);
}

function textsOf({ store }: Desk, { id, item }: SubmissionRecord, merge: MergeRecord | undefined): MemberText[] {
  const written = writtenTexts(item, (url) => store.isInOthers(id, url));
  return [...written, ...(merge ? linesMerged(merge.before, merge.after) : [])];
}

/** Keeps prints of what a submission says, to look for it with. */
export function keepPrints(desk: Desk, record: SubmissionRecord): void {
  const merge = desk.store.amendments.merge(record.id);
  const printer = erasurePrinter(desk);
  const known = desk.store.review.erasure(record.id);
  const fresh = printer.print(textsOf(desk, record, merge), textBefore(desk, record, merge));
  const all = known?.check === printer.check ? [...known.pieces, ...fresh] : fresh;
  // What an earlier erasure left in the place of the text is in every erased submission.
  const pieces = withoutPrints(all, printer.findIn(Buffer.from(REDACTED), printsOf(all)));
  const unique = [...new Map(pieces.map((piece) => [piece.prints.map(({ digest }) => digest).join(), piece])).values()];
  // Prints of another key stay: whoever looks is told that they cannot be used.
  if (known === undefined || known.check === printer.check || unique.length > 0) {
    desk.store.review.putErasure(record.id, { check: printer.check, pieces: unique });
  }
}

/** Later changes of the same file keep it as it was before and after them, with the text of this one. */
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
  // The diff of a later change quotes the lines around it.
  desk.store.rewriteEnded((other) => fileOf(other) === path, rewrite);
  for (const queueId of desk.store.review.proposedIds()) {
    const proposal = desk.store.review.proposal(queueId);
    if (proposal?.path !== path) continue;
    const [old, after] = [rewrite(proposal.before), rewrite(proposal.after)];
    desk.store.review.setProposal(queueId, { ...proposal, before: old, after });
  }
}

/** Questions that quote several submissions: complaints about a provider, flags of an artefact, a burst of concerns. */
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

/** The same content, without what one of its submissions said. */
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

/** Takes a published concern out of everyone's reach, for good. */
export function takeDown(desk: Desk, concernId: string): boolean {
  const artefact = desk.store.artefact('concern', concernId);
  if (!artefact || !(takesVotes(artefact.state) || artefact.state === 'quarantined')) return false;
  recordEvent(desk, 'concern', concernId, { kind: 'decided', decision: 'uphold' });
  return true;
}

/** The concern with this id; refuses what is none, or was taken down before. */
export function requireConcern(desk: Desk, concernId: string): SubmissionRecord {
  const record = desk.store.submission(concernId);
  if (record?.type !== 'concern') throw new BinderyError('target_not_found');
  return record;
}

/** Erases holds whose rejection is older than the time to appeal. */
export function eraseRejectedHolds(desk: Desk): void {
  for (const id of desk.store.rejectedHolds(desk.clock.now() - APPEAL_DAYS * DAY_MS)) {
    const record = desk.store.submission(id);
    if (record) desk.store.eraseSubmission(id, erasedItem(record.item));
  }
}

/** Takes what the scrub found out of a held submission, before it is released. */
export function redactHold({ store }: Desk, item: QueueItem): void {
  const record = store.submission(item.submissionId ?? '');
  if (!record) return;
  // What a detector found then stands in the question; the rules look again.
  const { holds: asked = [] } = (item.content ?? {}) as { holds?: readonly Finding[] };
  const { holds } = scrubSubmission(record.item, fieldKindsOf(record.item));
  const own = asked.filter(({ rule, end, start }) => rule === DETECTED && end > start);
  store.eraseSubmission(record.id, redacted(record.item, [...holds, ...own]));
}

function erasedItem(item: Item): Item {
  const kept = Object.fromEntries(Object.entries(item).filter(([name]) => KEPT.has(name)));
  return { ...kept, ...(item.type === 'concern' ? { report: REDACTED } : {}) } as Item;
}

function redacted(item: Item, holds: readonly Finding[]): Item {
  const copy = structuredClone(item) as Item;
  const byPlace = [...holds].sort((a, b) => b.start - a.start);
  for (const { pointer, start, end, ...found } of byPlace) {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const [parent, name] = [valueAt(copy, path.slice(0, -1)), path.at(-1)];
    const text = valueAt(copy, path);
    if ('in_key' in found || typeof text !== 'string' || typeof parent !== 'object' || parent === null) continue;
    Object.assign(parent, { [name as string]: text.slice(0, start) + REDACTED + text.slice(end) });
  }
  return copy;
}
