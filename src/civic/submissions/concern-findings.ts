import { artefactOf } from '../lifecycle/cast-validation.ts';
import { hostsFor, isListedHost } from '../protection/jurisdiction-hosts.ts';
import { findLinkTargets } from '../protection/link-targets.ts';
import { findMentions } from '../protection/mentions.ts';
import type { Finding } from '../scrub/scrub-submission.ts';
import { type FiledType, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import type { Item } from './item-types.ts';

/** Members of a concern that are public. */
const LISTED_MEMBERS = ['report', 'specifier'] as const;
const FILED = new Set(['skill', 'path', 'path_source', 'volatile_value', 'reference']);

/** Hosts in a concern's public text that are neither in its target nor on the corpus's host lists: they hold it for review. */
export function foreignLinks(desk: Desk, item: Item): Finding[] {
  if (item.type !== 'concern' || item.target_type === 'provider') return [];
  return LISTED_MEMBERS.flatMap((member) => {
    const text = item[member] ?? '';
    const hosts = new Set([...findMentions(text).hosts, ...findLinkTargets(text).foreign]);
    if (hosts.size === 0) return [];
    const listed = hostsFor(desk.files.hosts(), {});
    const own = findMentions(targetText(desk, item.target_type, item.target_id)).hosts;
    const isForeign = [...hosts].some((host) => !own.has(host) && !isListedHost(host, listed));
    return isForeign ? [{ rule: 'foreign_link', pointer: `/${member}`, start: 0, end: text.length }] : [];
  });
}

function targetText(desk: Desk, targetType: string, targetId: string): string {
  if (!FILED.has(targetType)) return '';
  const [type, id] = artefactOf(targetType, targetId) as [FiledType, string, string?];
  return desk.files.read(filePathOf(type, id)) ?? '';
}
