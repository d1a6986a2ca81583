import { isRendered, type Locale, THRESHOLDS } from '../config.ts';
import type { PathSource } from '../corpus/entries.ts';
import type { SnapshotPath, SnapshotSkill } from '../corpus/snapshot.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { PROTECTED_FIELDS_SHOWN } from '../protection/protected-fields.ts';
import { type PageFrame, scriptJson } from './layout.ts';
import { markdownHtml } from './markdown-html.ts';
import { appliesHtml, bdi, citationHtml, dateHtml, factsHtml, otherFacts, statusHtml, valueText } from './parts.ts';
import { tagTexts } from './skill-page.ts';
import { PRINCIPLES, SITE_TEXTS } from './texts.ts';

/** The first page: every procedure, by category. */
export function indexPage(frame: PageFrame): string {
  const { site, locale } = frame;
  const byCategory = Map.groupBy(site.corpus.snapshot.skills, ({ category }) => category);
  const sections = [...byCategory]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([category, skills]) =>
        `<h2>${bdi(category)}</h2>\n<ul class="list">${skills.map((skill) => skillEntry(frame, skill)).join('')}</ul>\n`,
    );
  const main = `<h1>${escapeHtml(site.name)}</h1>\n<p class="lead">${frame.text('intro')}</p>\n${searchForm(frame)}${sections.join('')}`;
  return frame.page(site.name, main, { description: SITE_TEXTS.intro[locale] });
}

function skillEntry(frame: PageFrame, { id, title, summary, status }: SnapshotSkill): string {
  return `<li>${frame.link(`skills/${id}.html`, title)} ${statusHtml(frame, status)}<p class="faint">${bdi(summary)}</p></li>\n`;
}

/** Publicly visible paths. */
export function shownPaths({ site }: PageFrame): SnapshotPath[] {
  return site.corpus.snapshot.paths.filter(({ status }) => isRendered(status));
}

export function pathsPage(frame: PageFrame): string {
  const items = shownPaths(frame).map(
    ({ id, status, entry }) =>
      `<li>${frame.link(`paths/${id}.html`, entry.title)} ${statusHtml(frame, status)}<p class="faint">${escapeHtml([entry.purpose, ...(entry.themes ?? [])].join(' · '))}</p></li>\n`,
  );
  return titled(frame, 'paths', `<ul class="list">${items.join('')}</ul>\n`);
}

/** Members with their own place on the page; all others are shown generically. */
const SHOWN_OF_PATH: ReadonlySet<string> = new Set('id title purpose status version applies_to sources'.split(' '));
const SHOWN_OF_SOURCE: ReadonlySet<string> = new Set('id source_class url last_validated'.split(' '));

export function pathPage(frame: PageFrame, { id, status, entry }: SnapshotPath): string {
  const { health } = frame.site;
  const users = frame.site.corpus.snapshot.skills.filter((skill) =>
    skill.requires_paths.some((edge) => edge.id === id),
  );
  const row = (source: PathSource) => {
    const validated = health.lastValidated(id, source.id) ?? textOf(source.last_validated);
    // A source that was never visited is not known to work.
    const state = health.source(id, source.id);
    const isTried = state !== 'ok' || validated !== undefined;
    const others = otherFacts(source, SHOWN_OF_SOURCE).map(
      ([name, html]) => `<br><span dir="ltr">${name}: ${html}</span>`,
    );
    return `<tr><td>${escapeHtml(source.id)}<br><span class="faint">${escapeHtml(source.source_class)}${others.join('')}</span></td><td>${source.url === undefined ? '' : citationHtml(frame, id, { url: source.url })}</td><td>${isTried ? escapeHtml(state) : frame.text('notChecked')}</td><td>${dateHtml(frame, validated)}</td></tr>`;
  };
  const main = `<h1>${bdi(entry.title)}</h1>
${factsHtml([
  [frame.text('status'), statusHtml(frame, status)],
  [frame.text('purpose'), escapeHtml(entry.purpose)],
  [
    frame.text('version'),
    `${escapeHtml(entry.version)} · ${frame.link(`paths/${id}.history.html`, SITE_TEXTS.history[frame.locale])}`,
  ],
  [frame.text('appliesTo'), appliesHtml(entry.applies_to)],
  [frame.text('usedIn'), users.map((skill) => frame.link(`skills/${skill.id}.html`, skill.title)).join(', ')],
  ...otherFacts(entry, SHOWN_OF_PATH),
])}<h2>${frame.text('sources')}</h2>
<table><thead><tr><th>${frame.text('name')}</th><th>URL</th><th>${frame.text('health')}</th><th>${frame.text('verified')}</th></tr></thead><tbody>${entry.sources.map(row).join('')}</tbody></table>
`;
  const head = `<script type="application/ld+json">${scriptJson(governmentService(frame, entry))}</script>\n`;
  return frame.page(entry.title, main, { head, isText: true });
}

/** A path as structured data. */
function governmentService(
  { site }: PageFrame,
  { id, title, purpose, applies_to, sources }: SnapshotPath['entry'],
): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'GovernmentService',
    name: title,
    serviceType: purpose,
    ...(site.baseUrl === undefined ? {} : { url: `${site.baseUrl}/paths/${id}.html` }),
    ...(applies_to?.region === undefined ? {} : { areaServed: applies_to.region }),
    availableChannel: sources
      .filter(({ url }) => url !== undefined)
      .map(({ id: name, url }) => ({ '@type': 'ServiceChannel', name, serviceUrl: url })),
  };
}

export function valuesPage(frame: PageFrame): string {
  const rows = [...frame.site.corpus.values.values()]
    .filter(({ status }) => isRendered(status))
    .map(
      (row) =>
        `<tr id="${escapeHtml(row.uid)}"><td>${bdi(row.name)}<br><span class="faint">${escapeHtml(row.uid)}</span></td><td>${bdi(valueText(row))}</td><td>${statusHtml(frame, row.status)}</td><td>${dateHtml(frame, row.last_verified)}</td><td>${usedIn(frame, row.uid)}</td></tr>\n`,
    );
  const heads = (['name', 'value', 'status', 'verified', 'usedIn'] as const).map(
    (name) => `<th>${frame.text(name)}</th>`,
  );
  return titled(frame, 'values', catalogue(frame, 'values', heads, rows));
}

export function referencesPage(frame: PageFrame): string {
  const rows = [...frame.site.corpus.references.values()]
    .filter(({ status }) => isRendered(status))
    .map(
      (row) =>
        `<tr id="${escapeHtml(row.uid)}"><td>${bdi(row.name)}<br><span class="faint">${escapeHtml(row.uid)}</span></td><td>${citationHtml(frame, row.uid, row)}</td><td>${statusHtml(frame, row.status)}</td><td>${dateHtml(frame, row.last_verified)}</td><td>${usedIn(frame, row.uid)}</td></tr>\n`,
    );
  const heads = (['name', 'citations', 'status', 'verified', 'usedIn'] as const).map(
    (name) => `<th>${frame.text(name)}</th>`,
  );
  return titled(frame, 'references', catalogue(frame, 'references', heads, rows));
}

function catalogue(frame: PageFrame, name: string, heads: readonly string[], rows: readonly string[]): string {
  return `<table><thead><tr>${heads.join('')}</tr></thead><tbody>\n${rows.join('')}</tbody></table>\n<p>${frame.link(`catalogue/${name}.history.html`, SITE_TEXTS.history[frame.locale])}</p>\n`;
}

/** Skills whose body refers to this row. */
function usedIn(frame: PageFrame, uid: string): string {
  const { corpus } = frame.site;
  return corpus.snapshot.skills
    .filter(({ id }) => corpus.skills.get(id)?.tags.some((tag) => tag.attributes.uid === uid))
    .map(({ id, title }) => frame.link(`skills/${id}.html`, title))
    .join(', ');
}

export interface SearchEntry {
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

export function searchEntries(frame: PageFrame): SearchEntry[] {
  const { skills } = frame.site.corpus.snapshot;
  return [
    ...skills.map(({ id, title, summary }) => ({ page: `skills/${id}.html`, title, text: summary })),
    ...shownPaths(frame).map(({ id, entry }) => ({
      page: `paths/${id}.html`,
      title: entry.title,
      text: [entry.purpose, ...(entry.themes ?? [])].join(' · '),
    })),
  ];
}

/** Entries that contain every word of a query, those with most words in the title first. */
export function findEntries(entries: readonly SearchEntry[], query: string): SearchEntry[] {
  const fold = (text: string) => text.normalize('NFKC').toLowerCase();
  const words = fold(query).split(/\s+/).filter(Boolean);
  const score = ({ title }: SearchEntry) => words.filter((word) => fold(title).includes(word)).length;
  return entries
    .filter(({ title, text }) => words.every((word) => fold(`${title} ${text}`).includes(word)))
    .sort((a, b) => score(b) - score(a));
}

/** The search page with its results; without a query it lists everything. */
export function searchPage(frame: PageFrame, query = ''): string {
  const entries = searchEntries(frame);
  const found = findEntries(entries, query);
  const items = found.map(
    ({ page, title, text }) => `<li>${frame.link(page, title)}<p class="faint">${bdi(text)}</p></li>\n`,
  );
  const count =
    query.trim() === '' ? '' : found.length === 0 ? frame.text('nothing') : `${found.length} ${frame.text('found')}`;
  const body = `${searchForm(frame, query)}<p id="count" role="status">${count}</p>\n<ul class="list" id="results">${items.join('')}</ul>\n`;
  // A live server searches without a script.
  const script = frame.site.isLive
    ? ''
    : `<script type="application/json" id="index">${scriptJson(entries)}</script>\n<script src="${frame.root}search.js" defer></script>\n`;
  return titled(frame, 'search', body, script);
}

function searchForm(frame: PageFrame, query = ''): string {
  const data = `data-root="${frame.to('')}" data-found="${frame.text('found')}" data-nothing="${frame.text('nothing')}"`;
  return `<form role="search" action="${frame.to('search.html')}" method="get" ${data}><label for="q">${frame.text('searchFor')}</label><input type="search" id="q" name="q" value="${escapeHtml(query)}"><button>${frame.text('search')}</button></form>\n`;
}

/** The maintainers' own page, or a default text. */
export function principlesPage(frame: PageFrame): string {
  const own = ownPage(frame, 'principles');
  const list = PRINCIPLES.map((principle) => `<li>${escapeHtml(principle[frame.locale])}</li>`);
  return titled(frame, 'principles', own ?? `<ul>${list.join('')}</ul>\n`);
}

const GATE_WORDS = {
  alone: '24 hours without objection',
  consensus: 'agreement of others',
  maintainer: 'a maintainer',
} as const;

/** Text in which backquotes mark code. */
function withCode(text: string): string {
  return escapeHtml(text).replaceAll(/&#96;(.*?)&#96;/g, '<code>$1</code>');
}

/** The rules that the program enforces, below the maintainers' own text. */
export function policyPage(frame: PageFrame): string {
  const rows = PROTECTED_FIELDS_SHOWN.map(
    ({ field, covers, gate }) =>
      `<tr><td lang="en">${withCode(covers)}<br><span class="faint">${field}</span></td><td lang="en">${GATE_WORDS[gate]}</td></tr>`,
  );
  const { alpha_to_beta, beta_to_stable } = THRESHOLDS;
  const states = `<ul><li>${statusHtml(frame, 'alpha')}</li><li>${statusHtml(frame, 'beta')}: ${alpha_to_beta.confirms} ✓, ${alpha_to_beta.approval_min * 100} %</li><li>${statusHtml(frame, 'stable')}: ${beta_to_stable.confirms} ✓, Wilson ≥ ${beta_to_stable.wilson_min}</li></ul>\n`;
  const body = `${ownPage(frame, 'policy') ?? ''}<h2>${frame.text('states')}</h2>\n${states}<h2>${frame.text('fields')}</h2>\n<table><thead><tr><th>${frame.text('fields')}</th><th>${frame.text('needs')}</th></tr></thead><tbody>${rows.join('')}</tbody></table>\n`;
  return titled(frame, 'policy', body);
}

function ownPage(frame: PageFrame, name: string): string | undefined {
  const { pages } = frame.site;
  const markdown = pages.get(`${name}.${frame.locale satisfies Locale}`) ?? pages.get(name);
  return markdown === undefined ? undefined : markdownHtml(markdown, tagTexts(frame, name));
}

export function titled(frame: PageFrame, name: keyof typeof SITE_TEXTS, body: string, head = ''): string {
  return frame.page(SITE_TEXTS[name][frame.locale], `<h1>${frame.text(name)}</h1>\n${body}`, { head });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
