import type { Nodes } from 'mdast';
import type { Corpus } from '../corpus/corpus-builder.ts';
import type { SkillMatter } from '../corpus/entries.ts';
import type { ParsedSkill } from '../corpus/parse-skill.ts';
import type { SnapshotSkill } from '../corpus/snapshot.ts';
import { tagAt } from '../corpus/tags.ts';
import { UNRESOLVED } from '../corpus/values.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { hasPage } from './has-page.ts';
import { localePath, type PageFrame, scriptJson } from './layout.ts';
import { bodyTree, linkHtml, markdownHtml, type TagTexts } from './markdown-html.ts';
import { appliesHtml, bdi, citationHtml, dateHtml, factsHtml, statusHtml } from './parts.ts';
import { SITE_TEXTS } from './texts.ts';

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
  [frame.text('verified'), dateHtml(frame, matter.last_verified)],
  [
    frame.text('version'),
    `${escapeHtml(skill.version)} · ${frame.link(`skills/${skill.id}.history.html`, SITE_TEXTS.history[frame.locale])}`,
  ],
  [frame.text('category'), escapeHtml(skill.category)],
  [frame.text('appliesTo'), appliesHtml(skill.applies_to)],
])}${skill.requires.length > 0 ? `<h2>${frame.text('requires')}</h2>\n${links(skill.requires)}` : ''}<div dir="auto">
${markdownHtml(body, tagTexts(frame, skill.id))}</div>
${skill.required_by.length > 0 ? `<h2>${frame.text('requiredBy')}</h2>\n${links(skill.required_by)}` : ''}${citations(frame, skill.id, matter)}<p><a href="${frame.root}skills/${skill.id}.md" type="text/markdown">${frame.text('markdown')}</a></p>
`;
  const head = `<link rel="alternate" type="text/markdown" href="${frame.root}skills/${skill.id}.md">
<script type="application/ld+json">${scriptJson(howTo(frame, skill, matter, body))}</script>\n`;
  return frame.page(skill.title, main, { description: skill.summary, head, isText: true });
}

function citations(frame: PageFrame, id: string, matter: SkillMatter): string {
  if (matter.citations.length === 0) return '';
  const items = matter.citations.map((citation) => `<li>${citationHtml(frame, id, citation)}</li>`);
  return `<h2>${frame.text('citations')}</h2>\n<ul>${items.join('')}</ul>\n`;
}

function skillLink(frame: PageFrame, id: string): string {
  const skill = frame.site.corpus.snapshot.skills.find((one) => one.id === id);
  return skill ? frame.link(`skills/${id}.html`, skill.title) : escapeHtml(id);
}

/** What the tags of a body stand for, as links to their pages. */
export function tagTexts(frame: PageFrame, artefactId: string): TagTexts {
  const { corpus, isLive } = frame.site;
  return {
    value(uid, name) {
      const value = Object.hasOwn(corpus.snapshot.values, uid) ? corpus.snapshot.values[uid] : undefined;
      if (value === undefined) return escapeHtml(UNRESOLVED);
      return `<a class="value" href="${frame.to('values.html')}#${escapeHtml(uid)}" title="${escapeHtml(name)}">${escapeHtml(value)}</a>`;
    },
    reference({ name, uid, url, archived_url }) {
      const row = corpus.references.get(uid ?? '');
      const target = url ?? row?.url;
      const words = escapeHtml(name ?? row?.name ?? uid ?? '');
      return target === undefined ? words : citationHtml(frame, artefactId, { url: target, archived_url }, words);
    },
    path(id) {
      const path = corpus.snapshot.paths.find((one) => one.id === id);
      return path && hasPage(frame.site, `paths/${id}.html`)
        ? frame.link(`paths/${id}.html`, path.entry.title)
        : escapeHtml(id);
    },
    skill: (id) => skillLink(frame, id),
    observations: (skill) =>
      isLive
        ? linkHtml(
            `${frame.root}../api/concerns?target_type=skill&target_id=${encodeURIComponent(skill)}`,
            frame.text('concerns'),
          )
        : '',
    // A sentence of its own: the text that the tag stands around comes right after it.
    risk: (reason) => `<strong class="risk">${frame.text('risk')}: ${escapeHtml(asSentence(reason))}</strong> `,
    link: (url) => linkTarget(frame, url),
    providers: (category) => providersHtml(frame, category),
  };
}

function asSentence(text: string): string {
  return /[\p{Sentence_Terminal}…]\s*$/u.test(text) ? text : `${text}.`;
}

/** A list inside a sentence: who, in which languages and where, and by which host. Nothing where nobody could choose. */
function providersHtml(frame: PageFrame, category: string): string {
  const listed = frame.site.providers(category).map(({ name, api_spec_url, languages, areas }) => {
    const facts = [languages.join(' '), areas.join(' '), URL.parse(api_spec_url)?.host ?? ''].filter(
      (one) => one !== '',
    );
    return `<b>${escapeHtml(name)}</b> <span class="faint">(${escapeHtml(facts.join(', '))})</span>`;
  });
  return listed.length === 0 ? '' : `${frame.text('providers')}: ${listed.join('; ')}`;
}

/** Where a link of a text leads from this page; undefined: nowhere. Pages have no other names than those of the site. */
function linkTarget(frame: PageFrame, url: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return url;
  const target = URL.parse(url, `https://site.invalid/${frame.path}`);
  const path = target?.host === 'site.invalid' ? target.pathname.slice(1) : '';
  return !url.startsWith('#') && hasPage(frame.site, path)
    ? `${frame.root}${localePath(frame.locale, path)}`
    : undefined;
}

/** The procedure as search engines read it: its steps are the ordered list below its heading "Process", or the first one. */
function howTo({ site }: PageFrame, skill: SnapshotSkill, matter: SkillMatter, body: string): object {
  const steps = stepsOf(body, site.corpus).map((text, index) => ({ '@type': 'HowToStep', position: index + 1, text }));
  return {
    '@context': 'https://schema.org',
    '@type': steps.length > 0 ? 'HowTo' : 'Article',
    name: skill.title,
    description: skill.summary,
    version: skill.version,
    ...(matter.last_verified === undefined ? {} : { dateModified: matter.last_verified }),
    ...(site.baseUrl === undefined ? {} : { url: `${site.baseUrl}/skills/${skill.id}.html` }),
    ...(steps.length > 0 ? { step: steps } : {}),
    citation: matter.citations.map(({ url }) => url),
  };
}

function stepsOf(body: string, corpus: Corpus): string[] {
  const { children } = bodyTree(body);
  const text = (node: Nodes) => plainText(node, corpus).replaceAll(/\s+/g, ' ').trim();
  const process = children.findIndex((node) => node.type === 'heading' && /^process$/i.test(text(node)));
  const list = children.slice(Math.max(process, 0)).find((node) => node.type === 'list' && node.ordered === true);
  return list?.type === 'list' ? list.children.map(text).filter((step) => step !== '') : [];
}

/** The words of a node, without its markup; tags read as what they stand for. */
function plainText(node: Nodes, corpus: Corpus): string {
  if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') return node.value;
  if (node.type === 'html') return tagWords(node.value, corpus);
  return 'children' in node ? node.children.map((child) => plainText(child, corpus)).join('') : '';
}

function tagWords(source: string, { snapshot, skills, paths }: Corpus): string {
  const tag = tagAt(source, 0);
  if (!tag || tag.kind === 'close') return '';
  const { uid = '', id = '', name = '' } = tag.attributes;
  if (tag.name === 'VV')
    return tag.kind === 'single' && Object.hasOwn(snapshot.values, uid) ? (snapshot.values[uid] as string) : '';
  return skills.get(id)?.matter?.title ?? paths.get(id)?.matter?.title ?? name;
}
