import { BinderyError } from '../../contract/errors.ts';
import { THRESHOLDS } from '../config.ts';
import { splitFrontMatter } from '../corpus/parse-skill.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { isReportedDead } from '../lifecycle/check-links.ts';
import { linksCheckedIn } from '../lifecycle/monthly-link-check.ts';
import { atLeast, below, voteProgress } from '../lifecycle/vote-progress.ts';
import { hostsFor, isListedHost } from '../protection/jurisdiction-hosts.ts';
import { protectedChange } from '../protection/protected-fields.ts';
import type { Finding } from '../scrub/scrub-submission.ts';
import { draftText } from '../submissions/apply-change.ts';
import { type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { readYaml } from '../submissions/edit-yaml.ts';
import { valueAt } from '../submissions/faults.ts';
import type { Amendment, Draft, Item } from '../submissions/item-types.ts';
import { protectedChangesOf, targetRefusal, tryAmendment } from '../submissions/merge-amendment.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { unifiedDiff } from '../submissions/unified-diff.ts';
import type { Case } from './case-shape.ts';
import { burstPage } from './concern-burst.ts';
import { likeCases } from './like-cases.ts';
import { iso, toQueueEntry } from './queue-entry.ts';
import { QUEUE_DECISIONS, type QueueItem } from './queue-item.ts';

const DAY_MS = 86_400_000;
/** Characters around what a rule found. */
const EXCERPT_CHARS = 40;

/** All that a maintainer needs to decide about a queue item, or to look at a submission that is in no queue. */
export function readCase(desk: Desk, id: string, from = 1): Case {
  const { store } = desk;
  const item = store.queueItem(id) ?? store.review.itemsAbout(id)[0];
  const record = store.submission(item?.submissionId ?? id);
  if (!item && !record) {
    throw new BinderyError('target_not_found', {
      detail: 'There is no queue item and no submission with this id.',
      next: 'See what waits with `bindery civic queue`.',
    });
  }
  const amendment = record?.item.type === 'amendment' ? record.item : undefined;
  const draft = record?.item.type === 'draft' ? record.item : undefined;
  const change = amendment ? amendmentChange(desk, record as SubmissionRecord, amendment) : draft && draftChange(draft);
  const target = targetOf(desk, item, record);
  const month = linksCheckedIn(desk);
  const burst = item && burstPage(desk, item, from);
  return {
    ...(item
      ? { queue: { ...toQueueEntry(desk, item), ...(item.note === undefined ? {} : { note: item.note }) } }
      : {}),
    decisions: item && item.decidedAt === undefined ? [...QUEUE_DECISIONS[item.queueClass]] : [],
    ...(record ? { submission: submissionOf(desk, record) } : {}),
    ...(target ? { target } : {}),
    ...(change ? { change } : {}),
    // An erased amendment has no content any more.
    protected: amendment
      ? 'content' in amendment
        ? protectedChangesOf(desk, amendment)
        : []
      : draft
        ? newArtefact()
        : [],
    ...(amendment && isVotedOn(desk, record as SubmissionRecord)
      ? { amendment_votes: amendmentVotes(desk, (record as SubmissionRecord).id) }
      : {}),
    evidence: evidenceOf(desk, record?.item, target),
    ...(month === undefined ? {} : { links_checked_in: month }),
    findings: findingsOf(item),
    earlier: item ? likeCases(desk, item) : [],
    ...(burst ? { burst: { concerns: burst.concerns, from: burst.from, through: burst.through } } : {}),
    content: burst ?? item?.content ?? record?.item ?? null,
  };
}

function amendmentChange(desk: Desk, record: SubmissionRecord, amendment: Amendment): Case['change'] {
  const [type, id] = artefactOf(amendment.target_type, amendment.target_id) as [FiledType, string, string?];
  const path = filePathOf(type, id);
  const merge = desk.store.amendments.merge(record.id);
  // A merge whose text was erased shows nothing.
  if (merge)
    return { path, diff: merge.after === '' ? '' : unifiedDiff(path, merge.before, merge.after), applies: false };
  if (!('content' in amendment)) return undefined;
  const refusal = targetRefusal(desk, amendment);
  const tried = tryAmendment(desk, amendment);
  if (tried.ok === true) {
    const diff = unifiedDiff(path, tried.before, tried.after);
    return { path, diff, applies: refusal === undefined, ...(refusal ? { problem: refusal } : {}) };
  }
  const problem =
    tried.ok === false ? tried.faults.map(({ message }) => message).join('; ') : `the file is ${tried.ok}`;
  return { path, diff: '', applies: false, problem: refusal ?? problem };
}

function draftChange(draft: Draft): Case['change'] {
  if (!('content' in draft)) return undefined;
  const path = filePathOf(draft.target_type, draft.proposed_id);
  return { path, diff: unifiedDiff(path, undefined, draftText(draft)), applies: true };
}

function newArtefact(): Case['protected'] {
  const change = protectedChange('new_artefact');
  return change ? [change] : [];
}

function submissionOf({ store }: Desk, record: SubmissionRecord): NonNullable<Case['submission']> {
  const { item } = record;
  const message = item.type === 'amendment' ? item.rationale : item.type === 'draft' ? item.commit_message : undefined;
  const verdict = store.review.verdict(record.id);
  return {
    submission_id: record.id,
    type: record.type,
    status: record.status,
    received_at: iso(record.receivedAt),
    ...(record.stagedUntil === undefined ? {} : { staged_until: iso(record.stagedUntil) }),
    ...(message === undefined ? {} : { message }),
    ...(verdict ? { verdict } : {}),
  };
}

function targetOf(desk: Desk, item: QueueItem | undefined, record: SubmissionRecord | undefined): Case['target'] {
  const targetType = item?.targetType ?? record?.targetType;
  const targetId = item?.targetId ?? record?.targetId;
  if (targetType === undefined || targetId === undefined) return undefined;
  const [type, id] = artefactOf(targetType, targetId);
  const artefact = desk.store.artefact(type, id);
  if (!artefact) return undefined;
  const votes = voteProgress(artefact, desk.clock.now());
  return { type, id, version: artefact.version, status: artefact.state, votes };
}

/** Whether others than the author have a say: the author's own row opens an amendment to votes. */
function isVotedOn({ store }: Desk, { id }: SubmissionRecord): boolean {
  return store.amendments.votes(id).length > 0;
}

/** Votes on an amendment against what agreement takes. */
function amendmentVotes({ store }: Desk, submissionId: string): Case['amendment_votes'] {
  const counted = store.amendments.votes(submissionId).filter(({ verdict }) => verdict !== 'author');
  const confirms = counted.filter(({ verdict }) => verdict === 'confirm').length;
  const rejects = counted.length - confirms;
  const utc_days = new Set(counted.map(({ at }) => Math.floor(at / DAY_MS))).size;
  const rule = THRESHOLDS.amendment;
  return {
    confirms,
    rejects,
    utc_days,
    toward: [
      {
        to: 'rejected',
        conditions: [
          atLeast('rejects', rejects, rule.rejects),
          below('confirms', confirms, 1),
          atLeast('utc_days', utc_days, rule.utc_days),
        ],
      },
      {
        to: 'merged',
        conditions: [
          atLeast('confirms', confirms, rule.confirms),
          below('rejects', rejects, 1),
          atLeast('utc_days', utc_days, rule.utc_days),
        ],
      },
    ],
  };
}

type Evidence = Case['evidence'][number];

/** What the submission cites, then what its target cites, each once, with what the last check of links found. */
function evidenceOf(desk: Desk, item: Item | undefined, target: Case['target']): Evidence[] {
  const filed = target && desk.files.artefacts().find(({ type, id }) => type === target.type && id === target.id);
  const wasChecked = linksCheckedIn(desk) !== undefined;
  const byUrl = new Map<string, Evidence>();
  const add = (url: string, of: Evidence['of'], archivedUrl?: string) => {
    if (byUrl.has(url)) return;
    const isFiled = filed?.links.some((link) => link.url === url && !link.isAudited) ?? false;
    const state =
      isFiled && wasChecked ? (isReportedDead(desk, filed?.id ?? '', url) ? 'dead' : 'reached') : 'unchecked';
    const archived = archivedUrl === undefined ? {} : { archived_url: archivedUrl };
    byUrl.set(url, { url, of, ...archived, state, host: hostState(desk, url, item, target) });
  };
  for (const { url, archived } of cited(item)) add(url, 'submission', archived);
  for (const { url, archivedUrl } of filed?.links ?? []) add(url, 'target', archivedUrl);
  return [...byUrl.values()];
}

function cited(item: Item | undefined): { url: string; archived?: string }[] {
  if (item?.type === 'amendment' || item?.type === 'concern')
    return item.evidence_url ? [{ url: item.evidence_url }] : [];
  if (item?.type !== 'draft' || !('content' in item)) return [];
  const matter: Readonly<Record<string, unknown>> =
    item.target_type === 'skill' ? item.content.frontmatter : item.content.entry;
  const list = item.target_type === 'skill' ? matter.citations : matter.sources;
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    const { url, archived_url } = (one ?? {}) as { url?: unknown; archived_url?: unknown };
    if (typeof url !== 'string') return [];
    return [{ url, ...(typeof archived_url === 'string' ? { archived: archived_url } : {}) }];
  });
}

function hostState(desk: Desk, url: string, item: Item | undefined, target: Case['target']): Evidence['host'] {
  const rows = desk.files.hosts();
  if (rows.length === 0) return 'no_list';
  const host = URL.canParse(url) ? new URL(url).host : '';
  return isListedHost(host, hostsFor(rows, jurisdictionOf(desk, item, target))) ? 'listed' : 'foreign';
}

function jurisdictionOf({ files }: Desk, item: Item | undefined, target: Case['target']) {
  const text =
    item?.type === 'draft' && 'content' in item
      ? draftText(item)
      : target && target.type !== 'concern'
        ? files.read(filePathOf(target.type as FiledType, target.id))
        : undefined;
  if (text === undefined) return {};
  const yaml = text.startsWith('---\n') ? (splitFrontMatter(text)?.matter ?? '') : text;
  const member = (name: string) => {
    const value = readYaml(yaml, [name]);
    return typeof value === 'string' ? { [name]: value } : {};
  };
  return { ...member('category'), ...member('jurisdiction') };
}

/** What the scrub held, with the words around it: only the maintainer sees them. */
function findingsOf(item: QueueItem | undefined): Case['findings'] {
  const { item: held, holds } = (item?.content ?? {}) as { item?: Item; holds?: readonly Finding[] };
  return (holds ?? []).map(({ rule, pointer, start, end }) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const text = valueAt(held, path);
    const shown = typeof text === 'string' ? text.slice(Math.max(0, start - EXCERPT_CHARS), end + EXCERPT_CHARS) : '';
    return { rule, pointer, text: shown };
  });
}
