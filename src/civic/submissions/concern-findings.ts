import { artefactOf } from '../lifecycle/cast-validation.ts';
import { hostsFor, isListedHost } from '../protection/jurisdiction-hosts.ts';
import { findLinkTargets } from '../protection/link-targets.ts';
import { findMentions } from '../protection/mentions.ts';
import { findNewRisks } from '../protection/risky-words.ts';
import type { Finding } from '../scrub/scrub-submission.ts';
import { type FiledType, filePathOf } from './corpus-change.ts';
import type { Desk } from './desk.ts';
import type { Item } from './item-types.ts';

/** Members of a concern that are public. */
const LISTED_MEMBERS = ['report', 'specifier'] as const;
const FILED = new Set(['skill', 'path', 'path_source', 'volatile_value', 'reference']);

/** What holds a concern for review: the rules that stop an amendment with the same words, because both are published. */
export function concernFindings(desk: Desk, item: Item): Finding[] {
  if (item.type !== 'concern' || item.target_type === 'provider') return [];
  return LISTED_MEMBERS.flatMap((member) => {
    const text = item[member] ?? '';
    const { credentials, payment } = findNewRisks('', text);
    const rules = [
      ...(hasForeignHost(desk, item.target_type, item.target_id, text) ? ['foreign_link'] : []),
      ...(credentials ? ['credentials'] : []),
      ...(payment ? ['payment'] : []),
    ];
    return rules.map((rule) => ({ rule, pointer: `/${member}`, start: 0, end: text.length }));
  });
}

/** Whether a text names a host that is neither in its target nor on the corpus's host lists. */
function hasForeignHost(desk: Desk, targetType: string, targetId: string, text: string): boolean {
  const hosts = new Set([...findMentions(text).hosts, ...findLinkTargets(text).foreign]);
  if (hosts.size === 0) return false;
  const listed = hostsFor(desk.files.hosts(), {});
  const own = findMentions(targetText(desk, targetType, targetId)).hosts;
  return [...hosts].some((host) => !own.has(host) && !isListedHost(host, listed));
}

function targetText(desk: Desk, targetType: string, targetId: string): string {
  if (!FILED.has(targetType)) return '';
  const [type, id] = artefactOf(targetType, targetId) as [FiledType, string, string?];
  return desk.files.read(filePathOf(type, id)) ?? '';
}
