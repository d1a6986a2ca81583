import { BinderyError } from '../../contract/errors.ts';
import { APPEAL_DAYS } from '../config.ts';
import { takesVotes } from '../lifecycle/artefact.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import { DETECTED } from '../scrub/detector.ts';
import { type Finding, scrubSubmission } from '../scrub/scrub-submission.ts';
import { dropSubmission } from '../submissions/commit-submission.ts';
import type { Desk } from '../submissions/desk.ts';
import { valueAt } from '../submissions/faults.ts';
import { fieldKindsOf } from '../submissions/field-kinds.ts';
import type { Item } from '../submissions/item-types.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import type { QueueItem } from './queue-item.ts';

const DAY_MS = 86_400_000;
/** Members of closed form, which say what a submission was about. */
const KEPT = new Set(
  'type target_type target_id proposed_id base_version target_version verdict kind scope axis score'.split(' '),
);
const REDACTED = '[redacted]';
/** Shorter texts occur by chance. */
const PROOF_CHARS_MIN = 8;

/** Erases what a person wrote of a submission, wherever the store keeps it. A published concern is taken down with it. */
export function eraseSubmission(desk: Desk, record: SubmissionRecord): void {
  const isWaiting = record.status === 'staged' || record.status === 'held_ner' || record.status === 'received';
  if (isWaiting) dropSubmission(desk, record, 'rejected');
  if (record.type === 'concern') takeDown(desk, record.id);
  desk.store.eraseSubmission(record.id, erasedItem(record.item));
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

/** The texts of a submission that are long enough to prove by that they are gone. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= PROOF_CHARS_MIN ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => (KEPT.has(name) ? [] : textsOf(member)));
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
