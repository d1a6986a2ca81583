import { BinderyError } from '../../contract/errors.ts';
import { CIVIC_LIMITS, THRESHOLDS } from '../config.ts';
import type { ArtefactHead } from '../lifecycle/artefact.ts';
import { saltKey } from '../lifecycle/record-event.ts';
import { type ProtectedChange, strongestGate } from '../protection/protected-fields.ts';
import { holdInBurst } from '../review/concern-burst.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import type { Finding, ScrubResult } from '../scrub/scrub-submission.ts';
import { requireCapabilities } from './capabilities.ts';
import type { DayItem } from './civic-store.ts';
import { draftSaltKey, isStaged, nextStatus, takeEffect } from './commit-submission.ts';
import type { CommonFields } from './common-fields.ts';
import { activeContentFinding, contentFaults, hiddenInDraft } from './content-faults.ts';
import { contentHash, sha256 } from './content-hash.ts';
import type { Desk } from './desk.ts';
import { faultsError } from './faults.ts';
import { fieldKindsOf } from './field-kinds.ts';
import { foreignLinks } from './foreign-links.ts';
import { mintCancelToken, mintId } from './ids.ts';
import type { Amendment, Concern, Item } from './item-types.ts';
import { isConcernBurst } from './join-concern.ts';
import { protectedChangesOf } from './merge-amendment.ts';
import { dayLimited, requireDayAllowance } from './rate-limit.ts';
import type { ReadItem } from './read-request.ts';
import { amendmentSaltKey, openToVotes, refuseAmendmentAuthor } from './settle-amendment.ts';
import type { SubmissionRecord } from './submission-record.ts';
import { authorHash, refuseSelfValidation, requireTarget } from './targets.ts';

/** Who sends, as far as the room may know. */
export interface Sender {
  readonly address: string;
  readonly dailyHash: string;
  readonly isDryRun: boolean;
  /** What the scrub found in the members that every item shares. */
  readonly commonFindings: Pick<ScrubResult, 'rejects' | 'holds' | 'advisories'>;
}

/** What the scrub found without refusing: in the members that every item shares, and in the item's own. */
export interface Advisories {
  readonly shared: readonly Finding[];
  readonly own: readonly Finding[];
}

export type Receipt =
  | { readonly status: 'duplicate'; readonly submissionId: string }
  | {
      readonly status: 'dry_run_ok';
      readonly wouldBe: 'accepted' | 'held_ner';
      readonly isBurst: boolean;
      readonly advisories: Advisories;
      readonly heldFor: Advisories;
      readonly protectedChanges: readonly ProtectedChange[];
      readonly ahead: number;
    }
  | {
      readonly status: 'accepted' | 'held_ner';
      readonly submissionId: string;
      readonly cancelToken: string | undefined;
      readonly cancelUntil: number | undefined;
      /** The listed concern that says the same. */
      readonly joinedTo: string | undefined;
      /** A concern that is listed when a maintainer has looked at it. */
      readonly isBurst: boolean;
      readonly advisories: Advisories;
      readonly heldFor: Advisories;
      readonly protectedChanges: readonly ProtectedChange[];
      /** Amendments of the same artefact that are staged before this one. */
      readonly ahead: number;
    };

/**
 * Takes one item through what SU7 asks after its schema: content, capability, scrub, duplicate, target, self-validation,
 * daily limit, store. Throws the first that fails. Nothing is written before the last check has passed.
 */
export function receiveItem(desk: Desk, read: ReadItem, common: CommonFields, sender: Sender): Receipt {
  const faults = contentFaults(desk, read.item);
  const [active, others] = partition(faults, ({ keyword }) => keyword === 'mdx_forbidden');
  if (others.length > 0) throw faultsError('schema_invalid', others);
  requireCapabilities(read.item, common.declared_capabilities);
  const scrubbed = read.scrubbed ?? desk.scrub(read.item, fieldKindsOf(read.item));
  refuseFindings([...sender.commonFindings.rejects, ...scrubbed.rejects]);
  if (active.length > 0) refuseFindings([activeContentFinding(read.item)]);
  const found = [
    ...scrubbed.holds,
    ...(read.detected ?? []),
    ...foreignLinks(desk, read.item),
    ...hiddenInDraft(read.item),
  ];
  const holds = [...sender.commonFindings.holds, ...found];
  const advisories = { shared: sender.commonFindings.advisories, own: scrubbed.advisories };
  const item = keepVerbatim(scrubbed.cleaned as Item, read.item);
  const hash = contentHash(item);
  const today = desk.store.dayItems(sender.dailyHash);
  const duplicate = findDuplicate(desk, read.submissionId, common.session_id, hash, today);
  if (duplicate) return { status: 'duplicate', submissionId: duplicate };
  const artefact = requireTarget(desk, item);
  if (item.type === 'validation' && artefact && !read.isProbe) {
    refuseSelfValidation(desk, artefact, authorHash(desk, artefact, sender.address, false));
  }
  if (item.type === 'validation' && item.target_type === 'amendment' && !read.isProbe) {
    refuseAmendmentAuthor(desk, item.target_id, sender.address);
  }
  requireDayAllowance(item.type, today, desk.clock.now());
  if (holds.length > 0) requireHeldAllowance(desk, today);
  const isAmendment = item.type === 'amendment';
  const protectedChanges = isAmendment ? protectedChangesOf(desk, item) : [];
  const heldFor = { shared: sender.commonFindings.holds, own: found };
  const told = { advisories, heldFor, protectedChanges, ahead: isAmendment ? stagedAhead(desk, item) : 0 };
  const isBurst = item.type === 'concern' && holds.length === 0 && isConcernBurst(desk, item);
  // Held, whatever holds it: a maintainer decides before anyone sees it [SU5].
  const isForMaintainer = holds.length > 0 || isBurst || strongestGate(protectedChanges) === 'maintainer';
  const wouldBe: Judged['status'] = isForMaintainer ? 'held_ner' : 'accepted';
  if (sender.isDryRun) return { status: 'dry_run_ok', wouldBe, isBurst, ...told };
  const judged = { artefact, hash, holds, isBurst, status: wouldBe, batch: today[0]?.submissionId, ...told };
  return storeItem(desk, { ...read, item }, common, sender, judged);
}

/** What the checks found of an item, for whoever stores it. */
interface Judged {
  readonly artefact: ArtefactHead | undefined;
  readonly hash: string;
  readonly holds: readonly Finding[];
  /** A concern that is one too many for its target today. */
  readonly isBurst: boolean;
  readonly status: 'accepted' | 'held_ner';
  /** The first submission of this sender today. */
  readonly batch: string | undefined;
  readonly advisories: Advisories;
  readonly heldFor: Advisories;
  readonly protectedChanges: readonly ProtectedChange[];
  readonly ahead: number;
}

/** The first of several amendments of one version merges, and the others are stale then [L8]. */
function stagedAhead({ store }: Desk, { target_type, target_id }: Amendment): number {
  return store.amendments.staged({ type: target_type, id: target_id }, CIVIC_LIMITS.amendments_listed_max).length;
}

function partition<T>(list: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [list.filter(test), list.filter((one) => !test(one))];
}

function storeItem(
  desk: Desk,
  { item, isProbe, submissionId }: ReadItem,
  common: CommonFields,
  sender: Sender,
  { artefact, hash, holds, isBurst, status, batch, ...told }: Judged,
): Receipt {
  const { store, clock, random } = desk;
  const id = submissionId ?? mintId('sub', clock, random);
  const isHeld = holds.length > 0;
  const cancelToken = isStaged(item.type) ? mintCancelToken(random) : undefined;
  const isFlag = item.type === 'validation' && item.injection_flag;
  const countsFlag = isFlag && store.dayFlags(sender.dailyHash) < THRESHOLDS.quarantine.flags_counted_per_day;
  const record: SubmissionRecord = {
    id,
    sessionId: common.session_id,
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
  // What takes effect at once needs its author no longer: a vote or a mark has the hash, and goes with the salt.
  const waits = isHeld || isBurst || isStaged(item.type);
  store.insertSubmission(waits ? record : { ...record, author: undefined });
  store.addDayItem(sender.dailyHash, hash, id, item.type);
  if (item.type === 'amendment') {
    store.amendments.setBatch(id, batch ?? id);
    if (strongestGate(told.protectedChanges) !== 'maintainer') openToVotes(desk, id, sender.address);
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

/** What is one too many today is received and nothing more: it takes effect when a maintainer has looked. */
function firstStatus(
  type: SubmissionRecord['type'],
  { isHeld, isBurst }: { isHeld: boolean; isBurst: boolean },
  now: number,
): Pick<SubmissionRecord, 'status' | 'stagedUntil'> {
  if (isHeld || isBurst) return { status: isHeld ? 'held_ner' : 'received', stagedUntil: undefined };
  return nextStatus(type, now);
}

/** The sender's hash under the salt of what the item is about; drafts and concerns bring a salt of their own [PV1], complaints need none. */
function authorOf(
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

/** The id of the first of its kind; the same id for anything else is a conflict [SU20]. */
function findDuplicate(
  { store }: Desk,
  submissionId: string | undefined,
  sessionId: string,
  hash: string,
  today: readonly DayItem[],
): string | undefined {
  const known = submissionId === undefined ? undefined : store.submission(submissionId);
  if (!known) return today.find(({ contentHash }) => contentHash === hash)?.submissionId;
  if (known.sessionId === sessionId && known.contentHash === hash) return known.id;
  throw new BinderyError('duplicate', { detail: 'This submission_id belongs to another submission.' });
}

/** Refuses who already has enough waiting for the maintainer today. */
function requireHeldAllowance({ store, clock }: Desk, today: readonly DayItem[]): void {
  const held = today.filter(({ submissionId }) => store.submission(submissionId)?.status === 'held_ner').length;
  if (held >= CIVIC_LIMITS.day.held) throw dayLimited('held', clock.now());
}

/** Signals of a traversal are stored as they came: they mirror what the path's entry names [W6]. */
function keepVerbatim(cleaned: Item, sent: Item): Item {
  return cleaned.type === 'validation' && sent.type === 'validation' && sent.traversal_metadata
    ? { ...cleaned, traversal_metadata: sent.traversal_metadata }
    : cleaned;
}

export function refuseFindings(rejects: readonly Finding[]): void {
  if (rejects.length === 0) return;
  const errors = [...rejects].sort((a, b) =>
    a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : a.start - b.start,
  );
  throw new BinderyError('scrub_rejected', {
    detail: `These rules apply: ${[...new Set(errors.map((finding) => finding.rule))].join(', ')}.`,
    members: { errors },
  });
}

function targetOf(item: Item): Pick<SubmissionRecord, 'targetType' | 'targetId'> {
  if (item.type === 'feedback') return { targetType: undefined, targetId: undefined };
  return { targetType: item.target_type, targetId: item.type === 'draft' ? item.proposed_id : item.target_id };
}
