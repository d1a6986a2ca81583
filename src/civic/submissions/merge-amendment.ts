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
 * Merges an amendment whose staging is over; the code of what stands in the way, if anything does. Throws where it cannot be
 * judged now, because the folder is away or a person is in the middle of writing the file.
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
  /** The file before and after, apart from version and state. */
  readonly before: string;
  readonly after: string;
  readonly artefact: Artefact;
  readonly editorial: boolean;
}

/** What a merge would write; the code of what stands in the way, if anything does. Nothing is changed. */
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

/** What the history says of a submission that was let in. */
export function reasonOf({ id, item }: SubmissionRecord, automatic: boolean): ChangeReason {
  const said = item.type === 'amendment' ? item.rationale : item.type === 'draft' ? item.commit_message : '';
  // An erased submission has no text.
  const words = said ?? '';
  const evidence = item.type === 'amendment' && item.evidence_url ? [item.evidence_url] : [];
  return { submissionId: id, words, evidence, reviewed: automatic ? 'automatic' : 'maintainer' };
}

/** Why the artefact does not take the amendment now; undefined: it does. */
export function targetRefusal({ store }: Desk, amendment: Amendment): ErrorCode | undefined {
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id);
  const artefact = store.artefactHead(type, id);
  if (artefact?.state === 'quarantined') return 'artefact_quarantined';
  if (!artefact || !takesVotes(artefact.state)) return 'target_not_found';
  return artefact.version === amendment.base_version ? undefined : 'target_version_stale';
}

/** What is wrong with an amendment's content against the file that it changes [SU15, SU24]. */
export function amendmentFaults(desk: Desk, amendment: Amendment): Fault[] {
  const tried = tryAmendment(desk, amendment);
  // What cannot be judged now is judged when it merges.
  if (tried.ok !== true) return tried.ok === false ? tried.faults : [];
  return isVerifiedInFuture(tried, desk.clock.now())
    ? [fault(`/content/${amendment.content.amendment_subtype}`, 'maximum', 'has a last_verified in the future')]
    : [];
}

const LAST_VERIFIED = /last_verified["']?\s{0,3}[:=]\s{0,3}["']?(\d{4}-\d{2}-\d{2})/g;
/** Where the day begins first. */
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

/** The protected fields that an amendment changes in the file as it stands; none where it cannot be applied now. */
export function protectedChangesOf(desk: Desk, amendment: Amendment): ProtectedChange[] {
  const tried = tryAmendment(desk, amendment);
  if (tried.ok !== true) return [];
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const since = desk.clock.now() - HARM_LIMITS.watched_days * DAY_MS;
  const baseline = desk.store.amendments.unreviewed({ type, id }, since).at(-1)?.before;
  const { before, after } = tried;
  const said = `${amendment.rationale}\n${amendment.evidence_url}`;
  const asked = [type, id, before, after, baseline, said, desk.files.hosts(), desk.files.scopes()];
  const judged = judgements.find((one) => one.asked.every((part, index) => part === asked[index]));
  if (judged) return judged.changes;
  const file = { type, id, before, after, baseline, said, corpusHosts: () => corpusHosts(desk) };
  const changes = findProtectedChanges(file, desk.files.hosts(), desk.files.scopes());
  judgements.unshift({ asked, changes });
  judgements.length = Math.min(judgements.length, JUDGEMENTS_MAX);
  return changes;
}

/** The last judgements, by all that they depend on: a long amendment is judged before its turn in the store, and again in it. */
const judgements: { readonly asked: readonly unknown[]; readonly changes: ProtectedChange[] }[] = [];
const JUDGEMENTS_MAX = 16;

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

/** Of staged amendments, by submission; one map for each desk. */
const known = new WeakMap<Desk, Map<string, KnownChanges>>();

/** The same for a staged amendment. Anybody may list these, so they are judged again only where something changed. */
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

/** What an amendment makes of its file, once everything that was decided before it is in the folder. */
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
  // A file that fails its checks without the amendment, too, is a person's work that is not done yet.
  if (files.check(path, before, pending).length > 0) return { ok: 'unfinished' };
  return { ok: false, faults: issues.map(({ code, message }) => fault(`/content/${subtype}`, code, message)) };
}

/** The next version: patch for a change of whitespace or punctuation, minor for any other [K3]. */
export function bump({ version }: Artefact, editorial: boolean): string {
  const [major = 0, minor = 0, patch = 0] = SEMVER_PATTERN.exec(version)?.slice(1, 4).map(Number) ?? [];
  return editorial ? `${major}.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
}
