import { BinderyError } from '../../contract/errors.ts';
import type { Status } from '../config.ts';
import { takesVotes } from '../lifecycle/artefact.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import type { MergeRecord } from '../submissions/amendment-store.ts';
import { applyUndo } from '../submissions/apply-change.ts';
import { filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { bump } from '../submissions/merge-amendment.ts';
import { pendingTexts } from '../submissions/pending-texts.ts';
import { askMaintainer } from '../submissions/settle-amendment.ts';

/** What one revert did. */
export interface Reverted {
  readonly merge: MergeRecord;
  readonly version: string;
  /** Staged amendments of the same sender, which wait for the maintainer now. */
  readonly marked: readonly string[];
}

/**
 * Undoes exactly what one merge changed, whatever was merged since, and brings the other staged amendments of its author
 * before the maintainer. Belongs inside a transaction.
 */
export function revertMerge(desk: Desk, submissionId: string): Reverted {
  const { store, clock } = desk;
  const merge = store.amendments.merge(submissionId);
  if (!merge) throw new BinderyError('target_not_found');
  if (merge.revertedAt !== undefined) throw new BinderyError('already_decided');
  const { type, id, before, after } = merge;
  const artefact = store.artefact(type, id);
  if (!artefact || !(takesVotes(artefact.state) || artefact.state === 'quarantined')) {
    throw new BinderyError('target_not_found');
  }
  requireUndoable(desk, merge);
  const version = bump(artefact, false);
  // Nothing was merged since: the text is again what it was in its state then.
  const isLast = artefact.version === merge.version && takesVotes(artefact.state);
  const change = isLast
    ? ({ kind: 'adopted', version, state: merge.priorState as Status } as const)
    : ({ kind: 'merged', version, editorial: false } as const);
  const { state } = recordEvent(desk, type, id, change);
  store.addIntent({ kind: 'revert', type, id, baseVersion: artefact.version, version, status: state, before, after });
  store.amendments.markReverted(submissionId, clock.now());
  const others = store.amendments.stagedBeside(submissionId);
  for (const record of others) askMaintainer(desk, record, 'author_reverted');
  return { merge, version, marked: others.map((record) => record.id) };
}

function requireUndoable(desk: Desk, { type, id, before, after }: MergeRecord): void {
  const path = filePathOf(type, id);
  const pending = pendingTexts(desk);
  const current = pending.get(path) ?? desk.files.read(path);
  if (current === undefined) throw new BinderyError('target_not_found');
  const undone = applyUndo(before, after, current);
  const faults = undone.ok ? desk.files.check(path, undone.text, pending) : [];
  if (!undone.ok || faults.length > 0) {
    const detail = undone.ok
      ? faults.map(({ message }) => message).join('; ')
      : `${undone.message}: revert that one first`;
    throw new BinderyError('revert_conflict', { detail });
  }
}
