import type { ErrorCode } from '../../contract/errors.ts';
import { CIVIC_LIMITS, HARM_LIMITS, SEMVER_PATTERN } from '../config.ts';
import { requireCorpus } from '../lifecycle/adopt-corpus.ts';
import { type Artefact, takesVotes } from '../lifecycle/artefact.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { recordEvent } from '../lifecycle/record-event.ts';
import { findProtectedChanges } from '../protection/find-protected-changes.ts';
import { hostOf } from '../protection/mentions.ts';
import type { ProtectedChange } from '../protection/protected-fields.ts';
import { applyAmendment, isEditorial } from './apply-change.ts';
import { type ChangeReason, type CorpusChange, type FiledType, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import { type Fault, fault } from './faults.ts';
import type { Amendment } from './item-types.ts';
import { pendingTexts } from './pending-texts.ts';
import type { SubmissionRecord } from './submission-record.ts';

const DAY_MS = 86_400_000;

/**
 * Merges an amendment whose staging is over. Returns an error code if it does not apply. Throws if that cannot be decided now, because the
 * folder is unavailable or a person is editing the file.
 */
export function mergeAmendment(
  desk: Desk,
  record: SubmissionRecord,
  amendment: Amendment,
  automatic: boolean,
): ErrorCode | undefined {
  const { store, clock } = desk;
  const planned = planMerge(desk, record, amendment, automatic);
  if (typeof planned === 'string') return planned;
  const { change, before, after, artefact, editorial } = planned;
  const { type, id, version } = change;
  const { state: status } = recordEvent(desk, type, id, { kind: 'merged', version, editorial });
  store.addIntent({ ...change, status });
  store.amendments.recordMerge({
    submissionId: record.id,
    type,
    id,
    mergedAt: clock.now(),
    version,
    priorState: artefact.state,
    before,
    after,
    automatic,
    revertedAt: undefined,
  });
  if (record.author !== undefined) store.addMark(type, id, 'submitter', record.author);
  return undefined;
}

export interface PlannedMerge {
  readonly change: Extract<CorpusChange, { kind: 'merge' }>;
  /** The file before and after, without changes of version and state. */
  readonly before: string;
  readonly after: string;
  readonly artefact: Artefact;
  readonly editorial: boolean;
}

/** What a merge would write, or the error code if it does not apply. Changes nothing. */
export function planMerge(
  desk: Desk,
  record: SubmissionRecord,
  amendment: Amendment,
  automatic: boolean,
): PlannedMerge | ErrorCode {
  const [type, id, sourceId] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const refusal = targetRefusal(desk, amendment);
  const artefact = desk.store.artefact(type, id);
  if (refusal || !artefact) return refusal ?? 'target_not_found';
  requireCorpus(desk);
  const tried = tryAmendment(desk, amendment);
  if (tried.ok === 'unfinished') throw new Error(`${filePathOf(type, id)} is not whole: someone is writing it`);
  if (tried.ok !== true) return 'schema_invalid';
  const { before, after } = tried;
  const editorial = isEditorial(before, after);
  const change = {
    kind: 'merge' as const,
    type,
    id,
    ...(sourceId === undefined ? {} : { sourceId }),
    baseVersion: artefact.version,
    version: bump(artefact, editorial),
    status: artefact.state === 'stable' && !editorial ? ('beta' as const) : artefact.state,
    content: amendment.content,
    why: reasonOf(record, automatic),
  };
  return { change, before, after, artefact, editorial };
}

/** The commit reason of an accepted submission. */
export function reasonOf({ id, item }: SubmissionRecord, automatic: boolean): ChangeReason {
  const said = item.type === 'amendment' ? item.rationale : item.type === 'draft' ? item.commit_message : '';
  // An erased submission has no text.
  const words = said ?? '';
  const evidence = item.type === 'amendment' && item.evidence_url ? [item.evidence_url] : [];
  return { submissionId: id, words, evidence, reviewed: automatic ? 'automatic' : 'maintainer' };
}

/** Why the artefact refuses the amendment now; undefined if it does not. */
export function targetRefusal({ store }: Desk, amendment: Amendment): ErrorCode | undefined {
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id);
  const artefact = store.artefactHead(type, id);
  if (artefact?.state === 'quarantined') return 'artefact_quarantined';
  if (!artefact || !takesVotes(artefact.state)) return 'target_not_found';
  return artefact.version === amendment.base_version ? undefined : 'target_version_stale';
}

/** Faults of an amendment's content against the file it changes [SU15, SU24]. */
export function amendmentFaults(desk: Desk, amendment: Amendment): Fault[] {
  const tried = tryAmendment(desk, amendment);
  // If it cannot be checked now, the merge checks it.
  if (tried.ok !== true) return tried.ok === false ? tried.faults : [];
  return isVerifiedInFuture(tried, desk.clock.now())
    ? [fault(`/content/${amendment.content.amendment_subtype}`, 'maximum', 'has a last_verified in the future')]
    : [];
}

const LAST_VERIFIED = /last_verified["']?\s{0,3}[:=]\s{0,3}["']?(\d{4}-\d{2}-\d{2})/g;
/** Offset of the earliest time zone. */
const EARLIEST_ZONE_MS = 14 * 3_600_000;

function isVerifiedInFuture(
  { before, after }: { readonly before: string; readonly after: string },
  now: number,
): boolean {
  const daysOf = (text: string) => [...text.matchAll(LAST_VERIFIED)].map(([, day = '']) => day);
  const today = new Date(now + EARLIEST_ZONE_MS).toISOString().slice(0, 10);
  const known = new Set(daysOf(before));
  return daysOf(after).some((day) => day > today && !known.has(day));
}

/** The protected fields that an amendment changes in the current file; none if it cannot be applied now. */
export function protectedChangesOf(desk: Desk, amendment: Amendment): ProtectedChange[] {
  const tried = tryAmendment(desk, amendment);
  if (tried.ok !== true) return [];
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const since = desk.clock.now() - HARM_LIMITS.watched_days * DAY_MS;
  const baseline = desk.store.amendments.unreviewed({ type, id }, since).at(-1)?.before;
  const { before, after } = tried;
  const said = `${amendment.rationale}\n${amendment.evidence_url}`;
  const asked = [type, id, before, after, baseline, said, desk.files.hosts(), desk.files.scopes()];
  const cached = changesCache.find((one) => one.asked.every((part, index) => part === asked[index]));
  if (cached) return cached.changes;
  const file = { type, id, before, after, baseline, said, corpusHosts: () => corpusHosts(desk) };
  const changes = findProtectedChanges(file, desk.files.hosts(), desk.files.scopes());
  changesCache.unshift({ asked, changes });
  changesCache.length = Math.min(changesCache.length, CHANGES_CACHE_MAX);
  return changes;
}

/** Cache of recent results, keyed by all inputs: a long amendment is checked before its transaction, and again in it. */
const changesCache: { readonly asked: readonly unknown[]; readonly changes: ProtectedChange[] }[] = [];
const CHANGES_CACHE_MAX = 16;

/** The hosts of all links of the corpus. */
function corpusHosts({ files }: Desk): ReadonlySet<string> {
  return new Set(files.artefacts().flatMap(({ links }) => links.map(({ url }) => hostOf(url) ?? url)));
}

interface KnownChanges {
  readonly before: string | undefined;
  readonly hosts: unknown;
  readonly scopes: unknown;
  readonly day: number;
  readonly changes: readonly ProtectedChange[];
}

/** Cache for staged amendments by submission; one map per desk. */
const known = new WeakMap<Desk, Map<string, KnownChanges>>();

/** The same for a staged amendment, cached until something changes, because the list is public. */
export function stagedChangesOf(desk: Desk, id: string, amendment: Amendment): readonly ProtectedChange[] {
  const [type, target] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const path = filePathOf(type, target);
  const before = pendingTexts(desk).get(path) ?? desk.files.read(path);
  const [hosts, scopes] = [desk.files.hosts(), desk.files.scopes()];
  const day = Math.floor(desk.clock.now() / DAY_MS);
  const kept = known.get(desk) ?? new Map<string, KnownChanges>();
  known.set(desk, kept);
  const last = kept.get(id);
  const isSame = last?.before === before && last?.hosts === hosts && last?.scopes === scopes && last?.day === day;
  if (last && isSame) return last.changes;
  const changes = protectedChangesOf(desk, amendment);
  if (kept.size >= CIVIC_LIMITS.amendments_listed_max * 2) kept.clear();
  kept.set(id, { before, hosts, scopes, day, changes });
  return changes;
}

export type Tried =
  | { readonly ok: true; readonly before: string; readonly after: string }
  | { readonly ok: false; readonly faults: Fault[] }
  | { readonly ok: 'absent' | 'unfinished' };

/** Applies an amendment to its file, on top of all decided changes that are not in the folder yet. */
export function tryAmendment(desk: Desk, amendment: Amendment): Tried {
  const { files } = desk;
  const [type, id, sourceId] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const path = filePathOf(type, id);
  const pending = pendingTexts(desk);
  const before = pending.get(path) ?? files.read(path);
  if (before === undefined) return { ok: 'absent' };
  const subtype = amendment.content.amendment_subtype;
  const applied = applyAmendment(type, id, sourceId, amendment.content, before);
  if (applied.ok === 'unfinished') return applied;
  if (!applied.ok) {
    const member = applied.keyword === 'diff' ? '/diff' : applied.keyword === 'field_path' ? '/field_path' : '';
    return { ok: false, faults: [fault(`/content/${subtype}${member}`, applied.keyword, applied.message)] };
  }
  const issues = files.check(path, applied.text, pending);
  if (issues.length === 0) return { ok: true, before, after: applied.text };
  // The file fails its checks even without the amendment: a person is still editing it.
  if (files.check(path, before, pending).length > 0) return { ok: 'unfinished' };
  return { ok: false, faults: issues.map(({ code, message }) => fault(`/content/${subtype}`, code, message)) };
}

/** The next version: patch if only whitespace or punctuation changed, else minor [K3]. */
export function bump({ version }: Artefact, editorial: boolean): string {
  const [major = 0, minor = 0, patch = 0] = SEMVER_PATTERN.exec(version)?.slice(1, 4).map(Number) ?? [];
  return editorial ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
}
