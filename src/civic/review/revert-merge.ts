import { BinderyError } from '../../contract/errors.ts';
import type { Status } from '../config.ts';
import { splitFrontMatter } from '../corpus/parse-skill.ts';
import { applyEvent } from '../lifecycle/apply-event.ts';
import { type Artefact, takesVotes } from '../lifecycle/artefact.ts';
import { recordEvent, saltKey } from '../lifecycle/record-event.ts';
import type { MergeRecord } from '../submissions/amendment-store.ts';
import { applyUndo } from '../submissions/apply-change.ts';
import { type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { readYaml } from '../submissions/edit-yaml.ts';
import { bump, reasonOf } from '../submissions/merge-amendment.ts';
import { pendingTexts } from '../submissions/pending-texts.ts';
import { askMaintainer } from '../submissions/settle-amendment.ts';

export interface Reverted {
  readonly merge: MergeRecord;
  readonly version: string;
  /** Staged amendments of the same sender, which now wait for a maintainer. */
  readonly marked: readonly string[];
}

/**
 * Undoes exactly the change of one merge, whatever was merged since, and sends the author's other staged amendments to the maintainer. Call
 * it inside a transaction.
 */
export function revertMerge(desk: Desk, submissionId: string): Reverted {
  const { store, clock } = desk;
  const merge = store.amendments.merge(submissionId);
  if (!merge) throw new BinderyError('target_not_found');
  if (merge.revertedAt !== undefined) {
    throw new BinderyError('already_decided', {
      detail: `The merge was reverted at ${new Date(merge.revertedAt).toISOString()}.`,
      next: 'Nothing is left to do. `bindery civic merges` lists the merges and which are reverted.',
    });
  }
  const { type, id, before, after } = merge;
  const artefact = store.artefact(type, id);
  if (!artefact || !(takesVotes(artefact.state) || artefact.state === 'quarantined')) {
    throw new BinderyError('target_not_found');
  }
  requireUndoable(desk, merge);
  const version = bump(artefact, false);
  // Nothing was merged since, so the artefact returns to its earlier state.
  const isLast = artefact.version === merge.version && takesVotes(artefact.state);
  const change = isLast
    ? ({ kind: 'adopted', version, state: merge.priorState as Status } as const)
    : ({ kind: 'merged', version, editorial: false } as const);
  const { state } = recordEvent(desk, type, id, change);
  const record = store.submission(submissionId);
  const why = record ? { why: reasonOf(record, false) } : {};
  const versions = { baseVersion: artefact.version, version, status: state };
  store.addIntent({ kind: 'revert', type, id, ...versions, before, after, ...why });
  restoreSuperseded(desk, merge);
  store.amendments.markReverted(submissionId, clock.now());
  const others = store.amendments.stagedBeside(submissionId);
  for (const record of others) askMaintainer(desk, record, 'author_reverted');
  return { merge, version, marked: others.map((record) => record.id) };
}

/** Reverting a merge that superseded an older artefact restores that artefact. */
function restoreSuperseded(desk: Desk, { type, before, after }: MergeRecord): void {
  const { store, salts } = desk;
  const id = supersededIn(type, after);
  if (id === undefined || id === supersededIn(type, before)) return;
  const older = store.artefact(type, id);
  const state = older?.state === 'superseded' ? stateBeforeSuperseded(desk, type, id) : undefined;
  if (!older || state === undefined) return;
  recordEvent(desk, type, id, { kind: 'adopted', version: older.version, state });
  if (state === 'alpha' || state === 'beta') salts.mint(saltKey(type, id));
  store.addIntent({ kind: 'status', type, id, status: state });
}

function supersededIn(type: FiledType, text: string): string | undefined {
  if (type !== 'skill' && type !== 'path') return undefined;
  const id = readYaml(type === 'skill' ? (splitFrontMatter(text)?.matter ?? '') : text, ['supersedes']);
  return typeof id === 'string' ? id : undefined;
}

/** The state of an artefact before it was last superseded, from its events. */
function stateBeforeSuperseded({ store }: Desk, type: FiledType, id: string): Status | undefined {
  let artefact: Artefact | undefined;
  let state: Status | undefined;
  for (const event of store.events()) {
    if (event.type !== type || event.id !== id) continue;
    if (event.kind === 'superseded') state = artefact?.state;
    artefact = applyEvent(artefact, event);
  }
  return state;
}

function requireUndoable(desk: Desk, merge: MergeRecord): void {
  const path = filePathOf(merge.type, merge.id);
  const pending = pendingTexts(desk);
  const current = pending.get(path) ?? desk.files.read(path);
  if (current === undefined) throw new BinderyError('target_not_found');
  const undone = applyUndo(merge, current);
  const faults = undone.ok ? desk.files.check(path, undone.text, pending) : [];
  if (!undone.ok || faults.length > 0) {
    const detail = undone.ok
      ? faults.map(({ message }) => message).join('; ')
      : `${undone.message}: revert that one first`;
    throw new BinderyError('revert_conflict', { detail });
  }
}
