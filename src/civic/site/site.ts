import { hash } from 'node:crypto';
import { LOCALES, type Locale } from '../config.ts';
import type { ParsedSkill } from '../corpus/parse-skill.ts';
import type { SnapshotSkill } from '../corpus/snapshot.ts';
import { expandTags } from '../corpus/values.ts';
import { providerLines } from '../providers/directory.ts';
import { graphPage } from './graph-page.ts';
import { changesFeed, changesOf, changesPage, erasedIds, historyPage } from './history-pages.ts';
import { localePath, PageFrame } from './layout.ts';
import {
  indexPage,
  pathPage,
  pathsPage,
  policyPage,
  principlesPage,
  referencesPage,
  searchPage,
  shownPaths,
  valuesPage,
} from './other-pages.ts';
import type { SiteSource } from './site-source.ts';
import { skillPage } from './skill-page.ts';
import { ICON, SEARCH_SCRIPT, STYLE } from './style.ts';

/** One file of the site. */
export interface SitePage {
  /** Path below the root of the site. */
  readonly path: string;
  /** Equal for equal texts; computed without rendering. */
  readonly key: string;
  render(): string;
}

/** Every file of the site, by path. Each is rendered on demand. */
export function sitePages(site: SiteSource): ReadonlyMap<string, SitePage> {
  const pages = new Map<string, SitePage>();
  const add = (path: string, ingredients: unknown, render: () => string) => {
    pages.set(path, { path, key: keyOf(site, ingredients), render });
  };
  const entries = entriesOf(site);
  const lists = Object.entries(LISTS).map(([path, { render, ingredients }]) => ({
    path,
    render,
    key: digest(ingredients(site)),
  }));
  const skillKeys = new Map(site.corpus.snapshot.skills.map((skill) => [skill.id, digest(skillKey(site, skill))]));
  const root = new PageFrame(site, 'en', 'index.html', '');
  add('style.css', 'style', () => STYLE);
  add('icon.svg', 'icon', () => ICON);
  add('search.js', 'search', () => SEARCH_SCRIPT);
  add('changes.atom', [...latestKey(site), shownIds(site)], () => changesFeed(root));
  add('llms.txt', entries, () => llmsText(site));
  for (const skill of site.corpus.snapshot.skills) {
    add(`skills/${skill.id}.md`, [skill.text, valuesOf(site, skill), listsOf(site, skill)], () =>
      markdownOf(site, skill),
    );
  }
  for (const locale of LOCALES) addLanguage(site, locale, { lists, skillKeys }, add);
  return pages;
}

type Add = (path: string, ingredients: unknown, render: () => string) => void;

interface ListPage {
  render(frame: PageFrame): string;
  /** Everything that the page depends on. */
  ingredients(site: SiteSource): unknown;
}

const entriesOf = ({ corpus: { snapshot } }: SiteSource) => [
  snapshot.skills.map(({ id, title, summary, status, category }) => [id, title, summary, status, category]),
  snapshot.paths.map(({ id, status, entry: { title, purpose, themes } }) => [id, status, title, purpose, themes]),
];
/** Ids with a page: nothing links to others. */
const shownIds = ({ corpus: { snapshot } }: SiteSource) => [
  snapshot.skills.map(({ id }) => id),
  snapshot.paths.map(({ id, status }) => [id, status]),
];
/** The latest change, and the erased ones: an erasure changes earlier entries. */
const latestKey = ({ history = [] }: SiteSource) => [history[0]?.id, erasedIds(history)];
const usersOf = ({ corpus: { snapshot, skills } }: SiteSource) =>
  snapshot.skills.map(({ id, title }) => [id, title, skills.get(id)?.tags.map(({ attributes }) => attributes.uid)]);

const LISTS: Readonly<Record<string, ListPage>> = {
  'index.html': { render: indexPage, ingredients: entriesOf },
  'paths.html': { render: pathsPage, ingredients: entriesOf },
  'values.html': { render: valuesPage, ingredients: (site) => [[...site.corpus.values.values()], usersOf(site)] },
  'references.html': {
    render: referencesPage,
    ingredients: (site) => {
      const rows = [...site.corpus.references.values()];
      return [rows, rows.map(({ uid, url }) => site.linkState(uid, url)), usersOf(site)];
    },
  },
  'graph.html': {
    render: graphPage,
    ingredients: (site) => [entriesOf(site), site.corpus.snapshot.skills.map(({ requires }) => requires)],
  },
  'changes.html': {
    render: changesPage,
    ingredients: (site) => [site.history === undefined, ...latestKey(site), shownIds(site)],
  },
  'search.html': { render: searchPage, ingredients: entriesOf },
  'principles.html': { render: principlesPage, ingredients: ({ pages }) => [...pages] },
  'policy.html': { render: policyPage, ingredients: ({ pages }) => [...pages] },
};

/** Data shared by all languages, computed once. */
interface SharedKeys {
  readonly lists: readonly { path: string; key: string; render(frame: PageFrame): string }[];
  readonly skillKeys: ReadonlyMap<string, string>;
}

function addLanguage(site: SiteSource, locale: Locale, { lists, skillKeys }: SharedKeys, add: Add): void {
  const frameOf = (path: string) => new PageFrame(site, locale, path);
  const put = (path: string, ingredients: unknown, render: (frame: PageFrame) => string) =>
    add(localePath(locale, path), [locale, ingredients], () => render(frameOf(path)));
  const putHistory = (path: string, file: string, title: string) => {
    const frame = frameOf(path);
    const changes = changesOf(frame, file);
    put(path, [title, site.history === undefined, changes[0]?.id, changes.length, erasedIds(changes)], (of) =>
      historyPage(of, file, title),
    );
  };
  for (const { path, key, render } of lists) put(path, key, (frame) => render(frame));
  for (const skill of site.corpus.snapshot.skills) {
    put(`skills/${skill.id}.html`, skillKeys.get(skill.id), (frame) => skillPage(frame, skill));
    putHistory(`skills/${skill.id}.history.html`, `skills/${skill.id}/canonical.md`, skill.title);
  }
  for (const path of shownPaths(frameOf('paths.html'))) {
    const states = path.entry.sources.map(({ id }) => [
      site.health.source(path.id, id),
      site.health.lastValidated(path.id, id),
    ]);
    const users = site.corpus.snapshot.skills.filter((skill) =>
      skill.requires_paths.some((edge) => edge.id === path.id),
    );
    const ingredients = [path.sha256, states, users.map(({ id, title }) => [id, title])];
    put(`paths/${path.id}.html`, ingredients, (frame) => pathPage(frame, path));
    putHistory(`paths/${path.id}.history.html`, `paths/${path.id}.yaml`, path.entry.title);
  }
  putHistory('catalogue/values.history.html', 'catalogue/values.yaml', 'values.yaml');
  putHistory('catalogue/references.history.html', 'catalogue/references.yaml', 'references.yaml');
}

/** Everything that a skill's page depends on. */
function skillKey(site: SiteSource, skill: SnapshotSkill): unknown {
  const { skills, paths, references } = site.corpus;
  const parsed = skills.get(skill.id) as ParsedSkill;
  const named = parsed.tags.map(({ attributes: { id = '', uid = '' } }) => [
    skills.get(id)?.matter?.title,
    skills.get(id)?.matter?.status,
    paths.get(id)?.matter?.title,
    paths.get(id)?.matter?.status,
    references.get(uid)?.url,
    references.get(uid)?.name,
    site.corpus.values.get(uid)?.name,
  ]);
  const edges = [...skill.requires, ...skill.required_by].map((edge) => [edge, skills.get(edge.id)?.matter?.title]);
  const ways = skill.requires_paths.map(({ id }) => [paths.get(id)?.matter?.title, paths.get(id)?.matter?.status]);
  const dead = (parsed.matter?.citations ?? []).map(({ url }) => site.linkState(skill.id, url));
  const file = `skills/${skill.id}/canonical.md`;
  const changed = changesOf({ site }, file)[0]?.at;
  return [parsed.file.sha256, valuesOf(site, skill), listsOf(site, skill), named, edges, ways, dead, changed];
}

function valuesOf({ corpus }: SiteSource, skill: SnapshotSkill): unknown {
  return skill.values.map(({ uid }) => [corpus.snapshot.values[uid], corpus.values.get(uid)?.unit]);
}

function listsOf(site: SiteSource, { providers = [] }: SnapshotSkill): unknown {
  return providers.map(({ category }) => site.providers(category));
}

function keyOf(site: SiteSource, ingredients: unknown): string {
  return digest([site.program, site.name, site.baseUrl, site.isLive, ingredients]);
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value)).slice(0, 24);
}

/** The text as a server sends it to agents. */
function markdownOf(site: SiteSource, { text, values: spans, providers = [] }: SnapshotSkill): string {
  const { values } = site.corpus.snapshot;
  return expandTags(text, [...spans, ...providers], {
    value: (uid) => (Object.hasOwn(values, uid) ? values[uid] : undefined),
    providers: (category) => providerLines(site.providers(category)),
  });
}

function llmsText({ corpus, name, baseUrl }: SiteSource): string {
  const base = baseUrl === undefined ? '' : `${baseUrl}/`;
  const lines = corpus.snapshot.skills.map(
    ({ id, title, summary }) => `- [${oneLine(title)}](${base}skills/${id}.md): ${oneLine(summary)}\n`,
  );
  return `# ${oneLine(name)}\n\n${lines.join('')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
