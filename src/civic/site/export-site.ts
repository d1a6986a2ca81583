import { type SitePage, sitePages } from './site.ts';
import type { SiteSource } from './site-source.ts';

/** Name of the file that says what a copy was made of. */
export const SITE_RECORD = '.site.json';

/** The keys of the pages that a folder holds, by path. */
export type SiteRecord = Readonly<Record<string, string>>;

export interface SiteExport {
  /** Pages that are new or not what they were. */
  readonly changed: readonly SitePage[];
  readonly removed: readonly string[];
  readonly record: SiteRecord;
}

/** What must be written so that a folder holds the site: nothing that it holds already is rendered again. */
export function exportSite(site: SiteSource, before: SiteRecord): SiteExport {
  const pages = sitePages(site);
  const changed = [...pages.values()]
    .filter(({ path, key }) => !Object.hasOwn(before, path) || before[path] !== key)
    // The languages of one page after each other: they share what was parsed.
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
