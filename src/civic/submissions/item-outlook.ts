import { CIVIC_LIMITS } from '../config.ts';
import { strongestGate } from '../protection/protected-fields.ts';
import type { Desk } from './desk.ts';
import type { Amendment, Item } from './item-types.ts';
import { isConcernBurst } from './join-concern.ts';
import { protectedChangesOf } from './merge-amendment.ts';
import { protectedFieldsOfDraft } from './protected-draft.ts';
import type { Judged } from './receipt.ts';

type Outlook = Pick<Judged, 'protectedChanges' | 'gate' | 'ahead' | 'isBurst' | 'status'>;

/** What awaits an item that passes the checks. `isHeld`: the scrub holds it. */
export function outlookOf(desk: Desk, item: Item, isHeld: boolean): Outlook {
  const isAmendment = item.type === 'amendment';
  const protectedChanges = isAmendment ? protectedChangesOf(desk, item) : [];
  const gate = strongestGate(protectedChanges);
  const isBurst = item.type === 'concern' && !isHeld && isConcernBurst(desk, item);
  // `held_ner` for every kind of hold: a maintainer decides before the item is public [SU5].
  const status = isHeld || isBurst || gate === 'maintainer' ? 'held_ner' : 'accepted';
  return { protectedChanges, gate, ahead: isAmendment ? stagedAhead(desk, item) : 0, isBurst, status };
}

/** What only the dry run of a draft says: it is accepted, and a maintainer decides about it after its day. */
export function dryRunOutlook(item: Item): Partial<Pick<Outlook, 'protectedChanges'>> {
  return item.type === 'draft' ? { protectedChanges: protectedFieldsOfDraft(item) } : {};
}

/** Of several amendments of one version the first merges, which makes the others stale [L8]. */
function stagedAhead({ store }: Desk, { target_type, target_id }: Amendment): number {
  return store.amendments.staged({ type: target_type, id: target_id }, CIVIC_LIMITS.amendments_listed_max).length;
}
