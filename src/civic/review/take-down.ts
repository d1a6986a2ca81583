import { BinderyError } from '../../contract/errors.ts';
import { takesVotes } from '../lifecycle/artefact.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import type { Desk } from '../submissions/desk.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';

/** Unpublishes a concern permanently. */
export function takeDown(desk: Desk, concernId: string): boolean {
  const artefact = desk.store.artefact('concern', concernId);
  if (!artefact || !(takesVotes(artefact.state) || artefact.state === 'quarantined')) return false;
  recordEvent(desk, 'concern', concernId, { kind: 'decided', decision: 'uphold' });
  return true;
}

/** The concern with this id. Throws if there is none or it was taken down already. */
export function requireConcern(desk: Desk, concernId: string): SubmissionRecord {
  const record = desk.store.submission(concernId);
  if (record?.type !== 'concern') throw new BinderyError('target_not_found');
  return record;
}
