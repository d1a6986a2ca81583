import type { ArtefactHead } from '../lifecycle/artefact.ts';
import { saltKey } from '../lifecycle/record-event.ts';
import { draftSaltKey } from './commit-submission.ts';
import type { Desk } from './desk.ts';
import type { Item } from './item-types.ts';
import { amendmentSaltKey } from './settle-amendment.ts';
import { authorHash } from './targets.ts';

/** The sender's hash under the salt of the item's target. Drafts and concerns get their own salt [PV1]; complaints need none. */
export function authorOf(
  desk: Desk,
  item: Item,
  id: string,
  artefact: ArtefactHead | undefined,
  address: string,
): string | undefined {
  if (item.type === 'concern' && item.target_type === 'provider') return undefined;
  const ownKey =
    item.type === 'draft' ? draftSaltKey(id) : item.type === 'concern' ? saltKey('concern', id) : undefined;
  if (ownKey) return desk.salts.underNew(ownKey, address);
  if (item.type === 'validation' && item.target_type === 'amendment') {
    return desk.salts.under(amendmentSaltKey(item.target_id), address);
  }
  const isVoteOrAmendment = item.type === 'validation' || item.type === 'amendment';
  return artefact && isVoteOrAmendment ? authorHash(desk, artefact, address, true) : undefined;
}
