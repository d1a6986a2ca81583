import { takesVotes } from '../lifecycle/artefact.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { draftText } from './apply-change.ts';
import { filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import { type Fault, fault } from './faults.ts';
import type { Item } from './item-types.ts';
import { amendmentFaults } from './merge-amendment.ts';

/**
 * What the corpus's own checks say of a draft or an amendment. Where the target itself stands in the way (absent,
 * quarantined, of another version, an id in use), nothing is said here: that step has its own answer.
 */
export function contentFaults(desk: Desk, item: Item): Fault[] {
  if (item.type === 'draft') {
    if (desk.store.artefactHead(item.target_type, item.proposed_id)) return [];
    const path = filePathOf(item.target_type, item.proposed_id);
    return desk.files.check(path, draftText(item)).map(({ code, message }) => fault('/content', code, message));
  }
  if (item.type !== 'amendment') return [];
  const [type, id] = artefactOf(item.target_type, item.target_id);
  const artefact = desk.store.artefactHead(type, id);
  if (!artefact || !takesVotes(artefact.state) || artefact.version !== item.base_version) return [];
  return amendmentFaults(desk, item);
}
