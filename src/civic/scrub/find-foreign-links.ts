import type { FieldKind } from './field-kinds.ts';
import type { Hit } from './find-identifiers.ts';

const LINK = /https?:\/\/([^\s/?#"'<>()[\]]{1,255})/gi;

/** Finds links to hosts that are not listed; an empty list disables the check [PV14]. */
export function findForeignLinks(text: string, kind: FieldKind, hosts: readonly string[]): Hit[] {
  if (hosts.length === 0 || kind === 'closed' || !text.includes('://')) return [];
  const hits: Hit[] = [];
  for (const { index, 0: link, 1: authority = '' } of text.matchAll(LINK)) {
    const host = authority
      .slice(authority.lastIndexOf('@') + 1)
      .replace(/:\d*$/, '')
      .toLowerCase();
    if (hosts.some((allowed) => host === allowed || host.endsWith(`.${allowed}`))) continue;
    hits.push({ rule: 'foreign_link', start: index, end: index + link.length });
  }
  return hits;
}
