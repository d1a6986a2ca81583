import { artefactOf } from '../lifecycle/cast-validation.ts';
import { draftText } from '../submissions/apply-change.ts';
import { type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Amendment, Draft } from '../submissions/item-types.ts';
import { protectedChangesOf, targetRefusal, tryAmendment } from '../submissions/merge-amendment.ts';
import { protectedFieldsOfDraft } from '../submissions/protected-draft.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { unifiedDiff } from '../submissions/unified-diff.ts';
import type { Case } from './case-shape.ts';

/** The change of a submission, planned or merged, and its protected fields. */
export function changeOf(desk: Desk, record: SubmissionRecord): Pick<Case, 'change' | 'protected'> {
  const { item } = record;
  if (item.type === 'draft') return { change: draftChange(item), protected: protectedFieldsOfDraft(item) };
  if (item.type !== 'amendment') return { protected: [] };
  // An erased amendment has no content.
  const changes = 'content' in item ? protectedChangesOf(desk, item) : [];
  return { change: amendmentChange(desk, record, item), protected: changes };
}

function amendmentChange(desk: Desk, record: SubmissionRecord, amendment: Amendment): Case['change'] {
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const path = filePathOf(type, id);
  const merge = desk.store.amendments.merge(record.id);
  // A merge whose text was erased shows nothing.
  if (merge)
    return { path, diff: merge.after === '' ? '' : unifiedDiff(path, merge.before, merge.after), applies: false };
  if (!('content' in amendment)) return undefined;
  const refusal = targetRefusal(desk, amendment);
  const tried = tryAmendment(desk, amendment);
  if (tried.ok === true) {
    const diff = unifiedDiff(path, tried.before, tried.after);
    return { path, diff, applies: refusal === undefined, ...(refusal ? { problem: refusal } : {}) };
  }
  const problem =
    tried.ok === false ? tried.faults.map(({ message }) => message).join('; ') : `the file is ${tried.ok}`;
  return { path, diff: '', applies: false, problem: refusal ?? problem };
}

function draftChange(draft: Draft): Case['change'] {
  if (!('content' in draft)) return undefined;
  const path = filePathOf(draft.target_type, draft.proposed_id);
  return { path, diff: unifiedDiff(path, undefined, draftText(draft)), applies: true };
}
