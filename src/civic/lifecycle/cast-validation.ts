import { HARM_LIMITS } from '../config.ts';
import { openQueueItem } from '../review/open-queue-item.ts';
import { questionMerges } from '../review/question-merges.ts';
import type { FiledType } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Validation } from '../submissions/item-types.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { type Artefact, type ArtefactType, takesVotes } from './artefact.ts';
import { recordEvent } from './record-event.ts';
import { traverseSource, UNTRIED_SOURCE } from './source-health.ts';

const DAY_MS = 86_400_000;

/** Applies an accepted validation: as a flag, a traversal of a source, or a vote. */
export function castValidation(desk: Desk, record: SubmissionRecord, validation: Validation): void {
  const [type, id, sourceId] = artefactOf(validation.target_type, validation.target_id);
  const artefact = desk.store.artefact(type, id);
  if (!artefact) return;
  if (validation.injection_flag) {
    raiseFlag(desk, record, validation, artefact);
    return;
  }
  // Without a salt, repeated votes cannot be detected: the vote is stored but not counted.
  const counted = takesVotes(artefact.state) && !record.isProbe && record.author !== undefined;
  if (sourceId !== undefined) {
    const outcome = validation.traversal_metadata?.outcome ?? 'inconclusive';
    if (counted || (record.isProbe && takesVotes(artefact.state))) traverse(desk, id, sourceId, outcome);
    return;
  }
  const voter = counted ? record.author : undefined;
  const replaces = voter === undefined ? undefined : desk.store.voteOf(artefact, voter);
  const change = {
    kind: 'vote' as const,
    verdict: validation.verdict,
    counted,
    ...(replaces === undefined ? {} : { replaces }),
  };
  recordEvent(desk, type, id, change, (before, event) => {
    desk.store.putVote(before as Artefact, { voter, seq: event.seq, verdict: validation.verdict, at: event.at });
  });
  if (counted && validation.verdict === 'reject') questionMerges(desk, artefact);
}

/** A traversal by an address or a probe only changes the health of this source [L9]. */
export function traverse(
  desk: Desk,
  pathId: string,
  sourceId: string,
  outcome: 'success' | 'failure' | 'inconclusive',
): void {
  if (outcome === 'inconclusive') return;
  recordEvent(desk, 'path', pathId, { kind: 'traversed', source: sourceId, outcome });
  const record = desk.store.source(pathId, sourceId) ?? UNTRIED_SOURCE;
  desk.store.saveSource(pathId, sourceId, traverseSource(record, outcome, desk.clock.now()));
}

/** The artefact of a target, and its source if the target is one. */
export function artefactOf(targetType: string, targetId: string): [ArtefactType, string, string | undefined] {
  if (targetType !== 'path_source') return [targetType as ArtefactType, targetId, undefined];
  const [pathId = '', sourceId = ''] = targetId.split(':');
  return ['path', pathId, sourceId];
}

/** A flagged validation is only a flag. A counted flag quarantines at once; further flags join the same queue item [L7]. */
function raiseFlag(desk: Desk, record: SubmissionRecord, validation: Validation, artefact: Artefact): void {
  const { store } = desk;
  const { type, id } = artefact;
  const isDismissed = record.author !== undefined && store.marks(type, id, 'dismissed_flagger').includes(record.author);
  const isFlag = record.countsFlag && !record.isProbe && !isDismissed && record.author !== undefined;
  const isBurst = isFlag && takesVotes(artefact.state) && isBurstFlag(desk, artefact, record.author as string);
  const counted = isFlag && !isBurst;
  const flag = {
    submission_id: record.id,
    counted,
    rationale: validation.rationale,
    pointer: validation.injection_excerpt_pointer,
  };
  const open = store
    .queueItems('open', 'injection_quarantine')
    .find((item) => item.targetType === type && item.targetId === id);
  const after = recordEvent(desk, type, id, { kind: 'flag', counted });
  if (isFlag) store.addMark(type, id, 'flagger', record.author as string);
  const isQuarantine = after.state === 'quarantined' && artefact.state !== 'quarantined';
  if (isQuarantine && type !== 'concern') store.amendments.recordQuarantine(type, id, desk.clock.now());
  if (open) {
    const flags = (open.content as { flags: unknown[] }).flags;
    store.updateQueueItem(open.queueId, { content: { flags: [...flags, flag] } });
  } else if (isQuarantine || isBurst) {
    const reason = isBurst ? { reason: 'corpus_burst' } : {};
    openQueueItem(desk, 'injection_quarantine', {
      ...reason,
      targetType: type,
      targetId: id,
      content: { flags: [flag] },
    });
  }
}

/**
 * On a day with many quarantines, flags only quarantine artefacts with recent unreviewed merges, and only with two addresses; the
 * maintainer sees the flag anyway. Concerns are unreviewed text and can be quarantined at any time.
 */
function isBurstFlag({ store, clock }: Desk, { type, id }: Artefact, author: string): boolean {
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  if (type === 'concern' || store.amendments.quarantines(today) < HARM_LIMITS.quarantines_per_corpus_day) return false;
  const since = clock.now() - HARM_LIMITS.watched_days * DAY_MS;
  const isChanged = store.amendments.unreviewed({ type: type as FiledType, id }, since).length > 0;
  return !isChanged || !store.marks(type, id, 'flagger').some((flagger) => flagger !== author);
}
