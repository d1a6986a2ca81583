import { bodyTree, isTooTangled, nodesOf } from '../corpus/body-tree.ts';
import type { Tag } from '../corpus/tags.ts';
import { normaliseText } from '../scrub/normalise-text.ts';

/** Where the links of a text lead in a browser. */
export interface LinkTargets {
  /** Targets that leave the page, as written, with repetitions. */
  readonly targets: readonly string[];
  /** Hosts other than that of the page, and schemes that open something else than a page, a mail or a call. */
  readonly foreign: ReadonlySet<string>;
}

/** The page is served with either scheme, and `https:evil.com` is relative to one of them only. */
const BASES = ['https://page.invalid/en/skills/', 'http://page.invalid/en/skills/'] as const;
const OWN_HOST = 'page.invalid';
const WEB = new Set(['http:', 'https:']);
/** The rule of contacts covers them. */
const CONTACT = new Set(['mailto:', 'tel:']);
const MAY_LINK = /\]\(|\]:|<[a-z]/i;

/** Finds the targets of Markdown links, images, definitions and tags, each resolved as a browser does. */
export function findLinkTargets(markdown: string, tags: readonly Tag[] = []): LinkTargets {
  const targets = [...markdownTargets(markdown), ...tags.flatMap(tagTargets)].filter(leavesPage);
  return { targets, foreign: new Set(targets.flatMap(foreignPartsOf)) };
}

function markdownTargets(markdown: string): string[] {
  if (!MAY_LINK.test(markdown)) return [];
  // No browser gets such a text; nothing is known of its links.
  if (isTooTangled(markdown)) return ['unreadable:'];
  return [...nodesOf(bodyTree(markdown).root)].flatMap((node) =>
    node.type === 'link' || node.type === 'image' || node.type === 'definition' ? [node.url] : [],
  );
}

/** Attributes are decoded as a page would: the parser leaves them as written. */
function tagTargets({ attributes: { url, archived_url } }: Tag): string[] {
  return [url, archived_url].flatMap((one) => (one === undefined ? [] : [normaliseText(one).text]));
}

function leavesPage(target: string): boolean {
  return target.trim() !== '' && !target.startsWith('#');
}

function foreignPartsOf(target: string): string[] {
  return BASES.flatMap((base) => {
    const url = URL.parse(target, base);
    if (!url || CONTACT.has(url.protocol)) return [];
    if (!WEB.has(url.protocol)) return [url.protocol];
    return url.host === OWN_HOST ? [] : [url.host];
  });
}
