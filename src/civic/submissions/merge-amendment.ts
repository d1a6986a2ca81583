import type { ErrorCode } from '../../contract/errors.ts';
import { SEMVER_PATTERN } from '../config.ts';
import { type Artefact, takesVotes } from '../lifecycle/artefact.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import { applyAmendment, isEditorial } from './apply-change.ts';
import type { SubmissionRecord } from './civic-store.ts';
import { type FiledType, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import { type Fault, fault } from './faults.ts';
import type { Amendment } from './item-types.ts';

/** Merges an amendment whose staging is over; the code of what stands in the way, if anything does. */
export function mergeAmendment(desk: Desk, record: SubmissionRecord, amendment: Amendment): ErrorCode | undefined {
  const { store, files } = desk;
  const [type, id, sourceId] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const artefact = store.artefact(type, id);
  if (!artefact || (!takesVotes(artefact.state) && artefact.state !== 'quarantined')) return 'target_not_found';
  if (artefact.state === 'quarantined') return 'artefact_quarantined';
  if (artefact.version !== amendment.base_version) return 'target_version_stale';
  const before = files.read(filePathOf(type, id));
  if (before === undefined || amendmentFaults(desk, amendment).length > 0) return 'schema_invalid';
  const applied = applyAmendment(type, id, sourceId, amendment.content, before);
  const editorial = applied.ok && isEditorial(before, applied.text);
  const version = bump(artefact, editorial);
  const after = recordEvent(desk, type, id, { kind: 'merged', version, editorial });
  store.addIntent({
    kind: 'merge',
    type,
    id,
    ...(sourceId === undefined ? {} : { sourceId }),
    baseVersion: artefact.version,
    version,
    status: after.state,
    content: amendment.content,
  });
  if (record.author !== undefined) store.addMark(type, id, 'submitter', record.author);
  return undefined;
}

/** What is wrong with an amendment's content against the file that it changes [SU15, SU24]. */
export function amendmentFaults({ files }: Desk, amendment: Amendment): Fault[] {
  const [type, id, sourceId] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const path = filePathOf(type, id);
  const text = files.read(path);
  if (text === undefined) return [];
  const subtype = amendment.content.amendment_subtype;
  const applied = applyAmendment(type, id, sourceId, amendment.content, text);
  if (!applied.ok) {
    const member = applied.keyword === 'diff' ? '/diff' : applied.keyword === 'field_path' ? '/field_path' : '';
    return [fault(`/content/${subtype}${member}`, applied.keyword, applied.message)];
  }
  return files.check(path, applied.text).map(({ code, message }) => fault(`/content/${subtype}`, code, message));
}

/** The next version: patch for a change of whitespace or punctuation, minor for any other [K3]. */
function bump({ version }: Artefact, editorial: boolean): string {
  const [major = 0, minor = 0, patch = 0] = SEMVER_PATTERN.exec(version)?.slice(1, 4).map(Number) ?? [];
  return editorial ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
}
