import { type SitePage, sitePages } from './site.ts';
import type { SiteSource } from './site-source.ts';

/** The file that records what a copy was made from. */
export const SITE_RECORD = '.site.json';

/** The keys of the pages in a folder, by path. */
export type SiteRecord = Readonly<Record<string, string>>;

export interface SiteExport {
  /** New or changed pages. */
  readonly changed: readonly SitePage[];
  readonly removed: readonly string[];
  readonly record: SiteRecord;
}

/** The pages to write so that a folder holds the site; unchanged pages are not rendered. */
export function exportSite(site: SiteSource, before: SiteRecord): SiteExport {
  const pages = sitePages(site);
  const changed = [...pages.values()]
    .filter(({ path, key }) => !Object.hasOwn(before, path) || before[path] !== key)
    // Render all languages of a page in sequence: they share the parsed body.
    .sort((a, b) => compare(bare(a.path), bare(b.path)));
  const removed = Object.keys(before).filter((path) => !pages.has(path));
  return { changed, removed, record: Object.fromEntries([...pages.values()].map(({ path, key }) => [path, key])) };
}

/** A path without its language. */
function bare(path: string): string {
  return path.replace(/^[a-z]{2}\//, '');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
