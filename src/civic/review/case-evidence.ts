import { splitFrontMatter } from '../corpus/parse-skill.ts';
import { isReportedDead } from '../lifecycle/check-links.ts';
import { linksCheckedIn } from '../lifecycle/monthly-link-check.ts';
import { hostsFor, isListedHost } from '../protection/jurisdiction-hosts.ts';
import { draftText } from '../submissions/apply-change.ts';
import { type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import { readYaml } from '../submissions/edit-yaml.ts';
import type { Item } from '../submissions/item-types.ts';
import type { Case } from './case-shape.ts';

type Evidence = Case['evidence'][number];

/** Links of the submission, then of its target, each once, with the result of the last link check. */
export function evidenceOf(
  desk: Desk,
  item: Item | undefined,
  target: Case['target'],
): Pick<Case, 'evidence' | 'links_checked_in'> {
  const filed = target && desk.files.artefacts().find(({ type, id }) => type === target.type && id === target.id);
  const month = linksCheckedIn(desk);
  const byUrl = new Map<string, Evidence>();
  const add = (url: string, of: Evidence['of'], archivedUrl?: string) => {
    if (byUrl.has(url)) return;
    const isFiled = filed?.links.some((link) => link.url === url && !link.isAudited) ?? false;
    const state =
      isFiled && month !== undefined ? (isReportedDead(desk, filed?.id ?? '', url) ? 'dead' : 'reached') : 'unchecked';
    const archived = archivedUrl === undefined ? {} : { archived_url: archivedUrl };
    byUrl.set(url, { url, of, ...archived, state, host: hostState(desk, url, item, target) });
  };
  for (const { url, archived } of cited(item)) add(url, 'submission', archived);
  for (const { url, archivedUrl } of filed?.links ?? []) add(url, 'target', archivedUrl);
  return { evidence: [...byUrl.values()], ...(month === undefined ? {} : { links_checked_in: month }) };
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
