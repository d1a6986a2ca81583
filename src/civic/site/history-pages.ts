import { SITE_LIMITS } from '../config.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { hasPage } from './has-page.ts';
import type { PageFrame } from './layout.ts';
import { titled } from './other-pages.ts';
import { bdi } from './parts.ts';
import type { SiteChange, SiteSource } from './site-source.ts';
import { SITE_TEXTS } from './texts.ts';

/** The changes of one file, each with its reason and diff. */
export function historyPage(frame: PageFrame, file: string, title: string): string {
  const changes = changesOf(frame, file);
  const body =
    frame.site.history === undefined
      ? `<p>${frame.text('noHistory')}</p>\n`
      : changes.map((change) => changeHtml(frame, change, file)).join('');
  const heading = `${SITE_TEXTS.history[frame.locale]}: ${title}`;
  const page = pageOf(file);
  const back = page === undefined ? bdi(title) : frame.link(page, title);
  return frame.page(heading, `<h1>${frame.text('history')}: ${back}</h1>\n${body}`);
}

/** The changes of a file; the latest one decides whether its pages are up to date. */
export function changesOf(
  { site }: { readonly site: Pick<SiteSource, 'history'> },
  file: string,
): readonly SiteChange[] {
  return fileIndex(site.history ?? []).get(file) ?? [];
}

/** The erased changes among some: they decide, besides the latest change, whether a page is up to date. */
export function erasedIds(changes: readonly SiteChange[]): readonly string[] {
  return changes.flatMap(({ id, isErased }) => (isErased ? [id] : []));
}

const indexes = new WeakMap<readonly SiteChange[], ReadonlyMap<string, readonly SiteChange[]>>();

function fileIndex(history: readonly SiteChange[]): ReadonlyMap<string, readonly SiteChange[]> {
  const known = indexes.get(history);
  if (known) return known;
  const index = new Map<string, SiteChange[]>();
  for (const change of history) {
    for (const { path } of change.files) {
      const list = index.get(path);
      if (list) list.push(change);
      else index.set(path, [change]);
    }
  }
  indexes.set(history, index);
  return index;
}

function changeHtml(frame: PageFrame, change: SiteChange, file: string): string {
  const { id, at, body, files } = change;
  const diff = files.find(({ path }) => path === file)?.diff ?? '';
  return `<section><h2 id="c-${id.slice(0, 12)}">${subjectHtml(frame, change)}</h2>
<p class="faint"><time datetime="${iso(at)}">${iso(at).slice(0, 10)}</time> <code>${id.slice(0, 12)}</code></p>
${body === '' ? '' : `<pre dir="auto">${escapeHtml(body)}</pre>\n`}${diffHtml(frame, diff)}</section>\n`;
}

/** The subject, or that the text was erased. */
function subjectHtml(frame: PageFrame, { subject, isErased }: SiteChange): string {
  return isErased ? frame.text('erasedChange') : bdi(subject);
}

/** A unified diff; added and removed lines are also marked by their sign. */
function diffHtml(frame: PageFrame, diff: string): string {
  const start = diff.indexOf('@@');
  if (start < 0) return '';
  const lines = diff.slice(start).trimEnd().split('\n');
  const shown = lines.slice(0, SITE_LIMITS.diffLinesMax).map((line) => {
    const text = escapeHtml(line);
    if (line.startsWith('+')) return `<ins>${text}</ins>`;
    if (line.startsWith('-')) return `<del>${text}</del>`;
    return `<span${line.startsWith('@@') ? ' class="at"' : ''}>${text}</span>`;
  });
  const left = lines.length - shown.length;
  return `<pre class="diff">${shown.join('')}</pre>\n${left > 0 ? `<p class="faint">${left} ${frame.text('moreLines')}</p>\n` : ''}`;
}

/** The latest changes, with links to the diffs. */
export function changesPage(frame: PageFrame): string {
  const { history } = frame.site;
  if (history === undefined) return titled(frame, 'changes', `<p>${frame.text('noHistory')}</p>\n`);
  const items = history.slice(0, SITE_LIMITS.changesShown).map((change) => {
    const { id, at, files } = change;
    const pages = files.flatMap(({ path }) => {
      const page = historyPathOf(frame.site, path);
      return page === undefined ? [] : [`<a href="${frame.to(page)}#c-${id.slice(0, 12)}">${escapeHtml(path)}</a>`];
    });
    return `<li id="c-${id.slice(0, 12)}"><time datetime="${iso(at)}">${iso(at).slice(0, 10)}</time> ${subjectHtml(frame, change)}${pages.length === 0 ? '' : `<p>${pages.slice(0, 10).join('<br>')}</p>`}</li>\n`;
  });
  return titled(frame, 'changes', `<ul class="list">${items.join('')}</ul>\n`);
}

/** The same as an Atom feed (RFC 4287). */
export function changesFeed({ site }: PageFrame): string {
  const base = site.baseUrl === undefined ? '' : `${site.baseUrl}/`;
  const entries = (site.history ?? [])
    .slice(0, SITE_LIMITS.changesShown)
    .map(({ id, at, subject, body, files, isErased }) => {
      const title = isErased ? SITE_TEXTS.erasedChange.en : subject;
      const page =
        files.map(({ path }) => historyPathOf(site, path)).find((found) => found !== undefined) ?? 'changes.html';
      return `<entry><id>urn:sha1:${escapeHtml(id)}</id><title>${escapeHtml(title)}</title><updated>${iso(at)}</updated><link href="${escapeHtml(`${base}${page}`)}#c-${id.slice(0, 12)}"/><content type="text">${escapeHtml(body || title)}</content></entry>\n`;
    });
  const updated = iso(site.history?.[0]?.at ?? 0);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${base === '' ? `urn:bindery:${escapeHtml(encodeURIComponent(site.name))}` : escapeHtml(base)}</id><title>${escapeHtml(site.name)}</title><updated>${updated}</updated><author><name>${escapeHtml(site.name)}</name></author>
<link rel="self" href="${escapeHtml(`${base}changes.atom`)}"/>
${entries.join('')}</feed>
`;
}

/** The history page of a corpus file; undefined if it has none. */
function historyPathOf(site: SiteSource, file: string): string | undefined {
  const page = pageOf(file);
  return page === undefined || !hasPage(site, page) ? undefined : historyPageOf(file);
}

/** The page of a corpus file's history, whether the site has it or not. */
export function historyPageOf(file: string): string | undefined {
  const page = pageOf(file);
  if (page === undefined) return undefined;
  const catalogue = /^(values|references)\.html$/.exec(page);
  return catalogue ? `catalogue/${catalogue[1]}.history.html` : page.replace(/\.html$/, '.history.html');
}

/** The page that shows a corpus file. */
export function pageOf(file: string): string | undefined {
  const skill = /^skills\/([^/]+)\/canonical\.md$/.exec(file);
  if (skill) return `skills/${skill[1]}.html`;
  const path = /^paths\/([^/]+)\.yaml$/.exec(file);
  if (path) return `paths/${path[1]}.html`;
  const rows = /^catalogue\/(values|references)\.yaml$/.exec(file);
  return rows ? `${rows[1]}.html` : undefined;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
