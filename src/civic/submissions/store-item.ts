import { THRESHOLDS } from '../config.ts';
import { holdInBurst } from '../review/concern-burst.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import { isStaged, nextStatus, takeEffect } from './commit-submission.ts';
import { sha256 } from './content-hash.ts';
import type { Desk } from './desk.ts';
import { mintCancelToken, mintId } from './ids.ts';
import { authorOf } from './item-author.ts';
import type { Concern, Item } from './item-types.ts';
import type { Judged, Receipt, Sender } from './receipt.ts';
import { openToVotes } from './settle-amendment.ts';
import type { SubmissionRecord } from './submission-record.ts';

/** Stores an item that passed every check, and applies it unless it is held. */
export function storeItem(
  desk: Desk,
  {
    item,
    isProbe,
    submissionId,
  }: { readonly item: Item; readonly isProbe: boolean; readonly submissionId: string | undefined },
  sessionId: string,
  sender: Sender,
  { artefact, hash, isBurst, status, gate, batch, ...told }: Judged,
): Receipt {
  const holds = [...told.heldFor.shared, ...told.heldFor.own];
  const { store, clock, random } = desk;
  const id = submissionId ?? mintId('sub', clock, random);
  const isHeld = holds.length > 0;
  const cancelToken = isStaged(item.type) ? mintCancelToken(random) : undefined;
  const isFlag = item.type === 'validation' && item.injection_flag;
  const countsFlag = isFlag && store.dayFlags(sender.dailyHash) < THRESHOLDS.quarantine.flags_counted_per_day;
  const record: SubmissionRecord = {
    id,
    sessionId,
    type: item.type,
    ...firstStatus(item.type, { isHeld, isBurst }, clock.now()),
    ...targetOf(item),
    contentHash: hash,
    item,
    receivedAt: clock.now(),
    cancelHash: cancelToken && sha256(cancelToken),
    author: authorOf(desk, item, id, artefact, sender.address),
    isProbe,
    countsFlag,
  };
  // An item that takes effect at once keeps no author: its vote or mark has the hash, which is deleted with the salt.
  const waits = isHeld || isBurst || isStaged(item.type);
  store.insertSubmission(waits ? record : { ...record, author: undefined });
  store.addDayItem(sender.dailyHash, hash, id, item.type);
  if (item.type === 'amendment') {
    store.amendments.setBatch(id, batch ?? id);
    if (gate !== 'maintainer') openToVotes(desk, id, sender.address);
  }
  if (isFlag) store.addDayFlag(sender.dailyHash);
  if (isBurst) holdInBurst(desk, id, item as Concern);
  else if (isHeld) {
    const rules = [...new Set(holds.map((finding) => finding.rule))].sort();
    openQueueItem(desk, 'ner_hold', { ...targetOf(item), submissionId: id, rules, content: { item, holds } });
  } else {
    takeEffect(desk, record);
  }
  return {
    status,
    submissionId: id,
    cancelToken,
    cancelUntil: record.stagedUntil,
    joinedTo: store.concerns.joinedTo(id),
    isBurst,
    ...told,
  };
}

/** A concern beyond the daily limit is only received; it takes effect after review. */
function firstStatus(
  type: SubmissionRecord['type'],
  { isHeld, isBurst }: { isHeld: boolean; isBurst: boolean },
  now: number,
): Pick<SubmissionRecord, 'status' | 'stagedUntil'> {
  if (isHeld || isBurst) return { status: isHeld ? 'held_ner' : 'received', stagedUntil: undefined };
  return nextStatus(type, now);
}

function targetOf(item: Item): Pick<SubmissionRecord, 'targetType' | 'targetId'> {
  if (item.type === 'feedback') return { targetType: undefined, targetId: undefined };
  return { targetType: item.target_type, targetId: item.type === 'draft' ? item.proposed_id : item.target_id };
}
