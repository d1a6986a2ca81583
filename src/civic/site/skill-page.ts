import type { SkillMatter } from '../corpus/entries.ts';
import type { ParsedSkill } from '../corpus/parse-skill.ts';
import type { SnapshotSkill } from '../corpus/snapshot.ts';
import { UNRESOLVED } from '../corpus/values.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { hasPage } from './has-page.ts';
import { howTo } from './how-to.ts';
import { localePath, type PageFrame, scriptJson } from './layout.ts';
import { linkHtml, markdownHtml, type TagTexts } from './markdown-html.ts';
import { appliesHtml, bdi, citationHtml, dateHtml, factsHtml, otherFacts, statusHtml } from './parts.ts';
import { originWord, SITE_TEXTS } from './texts.ts';

/** The page of a skill. */
export function skillPage(frame: PageFrame, skill: SnapshotSkill): string {
  const parsed = frame.site.corpus.skills.get(skill.id) as ParsedSkill;
  const matter = parsed.matter as SkillMatter;
  const body = skill.text.slice(parsed.bodyStart);
  const links = (list: readonly { id: string; selects_on?: string }[]) =>
    `<ul>${list.map(({ id, selects_on }) => `<li>${skillLink(frame, id)}${selects_on ? ` <code dir="ltr">${escapeHtml(selects_on)}</code>` : ''}</li>`).join('')}</ul>\n`;
  const main = `<h1>${bdi(skill.title)}</h1>
<p class="lead">${bdi(skill.summary)}</p>
${factsHtml([
  [frame.text('status'), statusHtml(frame, skill.status)],
  [
    frame.text('verified'),
    `${dateHtml(frame, matter.last_verified)}${matter.verification_notes === undefined ? '' : ` <span class="faint">${bdi(matter.verification_notes)}</span>`}`,
  ],
  [
    frame.text('version'),
    `${bdi(skill.version)} · ${frame.link(`skills/${skill.id}.history.html`, SITE_TEXTS.history[frame.locale])}`,
  ],
  [frame.text('category'), bdi(skill.category)],
  [frame.text('appliesTo'), appliesHtml(skill.applies_to)],
  [frame.text('origin'), matter.origin === undefined ? undefined : bdi(originWord(frame.locale, matter.origin))],
  ...otherFacts(matter, SHOWN),
])}${skill.requires.length > 0 ? `<h2>${frame.text('requires')}</h2>\n${links(skill.requires)}` : ''}${markdownHtml(body, tagTexts(frame, skill.id), skill.title)}${neededPaths(frame, matter)}${skill.required_by.length > 0 ? `<h2>${frame.text('requiredBy')}</h2>\n${links(skill.required_by)}` : ''}${citations(frame, skill.id, matter)}<p><a href="${frame.root}skills/${skill.id}.md" type="text/markdown">${frame.text('markdown')}</a></p>
`;
  const head = `<link rel="alternate" type="text/markdown" href="${frame.root}skills/${skill.id}.md">
<script type="application/ld+json">${scriptJson(howTo(frame, skill, matter, body))}</script>\n`;
  return frame.page(skill.title, main, { description: skill.summary, head, isText: true });
}

/** Members of a front matter that the page shows in their own place, or that only maintainers change. Others are shown generically. */
const SHOWN: ReadonlySet<string> = new Set(
  'id title summary status version origin category applies_to requires requires_paths inputs citations last_verified verification_notes'.split(
    ' ',
  ),
);

/** The paths that the procedure needs, and their purposes. */
function neededPaths(frame: PageFrame, { requires_paths }: SkillMatter): string {
  if (requires_paths.length === 0) return '';
  const items = requires_paths.map(({ id, role, timing }) => {
    const facts = [role, timing].filter((one) => one !== undefined).join(', ');
    return `<li>${pathLink(frame, id)}${facts === '' ? '' : ` <span class="faint">${bdi(facts)}</span>`}</li>`;
  });
  return `<h2>${frame.text('paths')}</h2>\n<ul>${items.join('')}</ul>\n`;
}

function pathLink(frame: PageFrame, id: string): string {
  const path = frame.site.corpus.snapshot.paths.find((one) => one.id === id);
  return path && hasPage(frame.site, `paths/${id}.html`)
    ? frame.link(`paths/${id}.html`, path.entry.title)
    : escapeHtml(id);
}

const CITED: ReadonlySet<string> = new Set(['url', 'archived_url']);

function citations(frame: PageFrame, id: string, matter: SkillMatter): string {
  if (matter.citations.length === 0) return '';
  const items = matter.citations.map((citation) => {
    const others = otherFacts(citation, CITED).map(([name, html]) => ` · ${name}: ${html}`);
    return `<li>${citationHtml(frame, id, citation)}${others.join('')}</li>`;
  });
  return `<h2>${frame.text('citations')}</h2>\n<ul>${items.join('')}</ul>\n`;
}

function skillLink(frame: PageFrame, id: string): string {
  const skill = frame.site.corpus.snapshot.skills.find((one) => one.id === id);
  return skill ? frame.link(`skills/${id}.html`, skill.title) : escapeHtml(id);
}

/** Replaces the tags of a body by links to their pages. */
export function tagTexts(frame: PageFrame, artefactId: string): TagTexts {
  const { corpus, isLive } = frame.site;
  return {
    value(uid, name) {
      const value = Object.hasOwn(corpus.snapshot.values, uid) ? corpus.snapshot.values[uid] : undefined;
      if (value === undefined) return `${escapeHtml(UNRESOLVED)}${otherName(`${name} ${uid}`.trim(), '')}`;
      const link = `<a class="value" href="${frame.to('values.html')}#${escapeHtml(uid)}" title="${escapeHtml(name)}">${bdi(value)}</a>`;
      return `${link}${otherName(name, corpus.values.get(uid)?.name)}`;
    },
    reference({ name, uid, url, archived_url }) {
      const row = corpus.references.get(uid ?? '');
      const target = url ?? row?.url;
      const words = escapeHtml(name ?? row?.name ?? uid ?? '');
      return target === undefined ? words : citationHtml(frame, artefactId, { url: target, archived_url }, words);
    },
    path: (id) => pathLink(frame, id),
    skill: (id) => skillLink(frame, id),
    observations: (skill) =>
      isLive
        ? linkHtml(
            `${frame.root}../api/concerns?target_type=skill&target_id=${encodeURIComponent(skill)}`,
            frame.text('concerns'),
          )
        : '',
    // A separate sentence, because the tag's text follows directly.
    risk: (reason) =>
      `<strong class="risk">${bdi(SITE_TEXTS.risk[frame.locale])}: ${bdi(asSentence(reason))}</strong> `,
    link: (url) => linkTarget(frame, url),
    providers: (category) => providersHtml(frame, category),
  };
}

/** The name that a tag gives to a row, if it differs from the row's own. */
function otherName(name: string, own: string | undefined): string {
  return name === '' || name === own ? '' : ` <span class="faint">(${escapeHtml(name)})</span>`;
}

function asSentence(text: string): string {
  return /[\p{Sentence_Terminal}…]\s*$/u.test(text) ? text : `${text}.`;
}

/** A provider list within a sentence: name, languages, areas and host. Empty if there is nothing to choose from. */
function providersHtml(frame: PageFrame, category: string): string {
  const listed = frame.site.providers(category).map(({ name, api_spec_url, languages, areas }) => {
    const facts = [languages.join(' '), areas.join(' '), URL.parse(api_spec_url)?.host ?? ''].filter(
      (one) => one !== '',
    );
    return `<b>${escapeHtml(name)}</b> <span class="faint">(${escapeHtml(facts.join(', '))})</span>`;
  });
  return listed.length === 0 ? '' : `${frame.text('providers')}: ${listed.join('; ')}`;
}

/** The target of a link on this page; undefined: none. Only pages of the site are known. */
function linkTarget(frame: PageFrame, url: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
  const target = URL.parse(url, `https://site.invalid/${frame.path}`);
  const path = target?.host === 'site.invalid' ? target.pathname.slice(1) : '';
  return !url.startsWith('#') && hasPage(frame.site, path)
    ? `${frame.root}${localePath(frame.locale, path)}`
    : undefined;
}
