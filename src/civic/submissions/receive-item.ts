import type { CommonFields } from './common-fields.ts';
import { contentHash } from './content-hash.ts';
import type { Desk } from './desk.ts';
import { findDuplicate } from './find-duplicate.ts';
import { dryRunOutlook, outlookOf } from './item-outlook.ts';
import { requireDayAllowance, requireHeldAllowance } from './rate-limit.ts';
import type { ReadItem } from './read-request.ts';
import type { Receipt, Sender } from './receipt.ts';
import { scrubItem } from './scrub-item.ts';
import { refuseAmendmentAuthor } from './settle-amendment.ts';
import { storeItem } from './store-item.ts';
import { authorHash, refuseSelfValidation, requireTarget } from './targets.ts';

/**
 * Runs the SU7 steps that follow the schema: content, capability, scrub, duplicate, target, self-validation, daily limit, store. Throws on
 * the first failure. Writes nothing before the last check has passed.
 */
export function receiveItem(desk: Desk, read: ReadItem, common: CommonFields, sender: Sender): Receipt {
  const { store, clock } = desk;
  const { item, advisories, heldFor } = scrubItem(desk, read, common, sender);
  const hash = contentHash(item);
  const today = store.dayItems(sender.dailyHash);
  const duplicate = findDuplicate(desk, read.submissionId, common.session_id, hash, today);
  if (duplicate) return { status: 'duplicate', submissionId: duplicate };
  const artefact = requireTarget(desk, item);
  if (item.type === 'validation' && !read.isProbe) {
    if (artefact) refuseSelfValidation(desk, artefact, authorHash(desk, artefact, sender.address, false));
    if (item.target_type === 'amendment') refuseAmendmentAuthor(desk, item.target_id, sender.address);
  }
  requireDayAllowance(item.type, today, clock.now());
  const isHeld = heldFor.shared.length + heldFor.own.length > 0;
  if (isHeld) {
    const held = today.filter(({ submissionId }) => store.submission(submissionId)?.status === 'held_ner').length;
    requireHeldAllowance(held, clock.now());
  }
  const judged = { advisories, heldFor, ...outlookOf(desk, item, isHeld) };
  if (sender.isDryRun) return { ...judged, ...dryRunOutlook(item), status: 'dry_run_ok', wouldBe: judged.status };
  const batch = today[0]?.submissionId;
  return storeItem(desk, { ...read, item }, common.session_id, sender, { ...judged, artefact, hash, batch });
}
