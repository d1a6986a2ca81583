import { BinderyError } from '../../contract/errors.ts';
import { type ArtefactType, isTerminal } from '../lifecycle/artefact.ts';
import { recordEvent, saltKey } from '../lifecycle/record-event.ts';
import { draftText } from '../submissions/apply-change.ts';
import { draftSaltKey, rejectByMaintainer } from '../submissions/commit-submission.ts';
import { contentFaults } from '../submissions/content-faults.ts';
import { FIRST_VERSION } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { faultsError } from '../submissions/faults.ts';
import { reasonOf } from '../submissions/merge-amendment.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import type { QueueItem } from './queue-item.ts';

/** Whether a maintainer accepted a draft and undid that: its file exists, but it is not served. */
export function isWithdrawn({ store }: Desk, { submissionId, targetType, targetId }: QueueItem): boolean {
  const state = store.artefactHead(targetType as ArtefactType, targetId as string)?.state;
  return state === 'draft' && store.submission(submissionId as string)?.status === 'merged';
}

export function decideDemoted(desk: Desk, item: QueueItem, isAccepted: boolean): void {
  const [type, id] = [item.targetType as ArtefactType, item.targetId as string];
  const artefact = desk.store.artefact(type, id);
  if (!artefact || isTerminal(artefact.state) || artefact.state !== 'draft') return;
  recordEvent(desk, type, id, { kind: 'decided', decision: isAccepted ? 'accept' : 'uphold' });
}

/** An accepted draft becomes an artefact: the checks run again, it inherits the draft's salt, and the author is its first submitter. */
export function decideDraft(desk: Desk, record: SubmissionRecord, isAccepted: boolean): void {
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
