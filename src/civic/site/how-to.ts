import type { Nodes } from 'mdast';
import { bodyTree } from '../corpus/body-tree.ts';
import type { Corpus } from '../corpus/corpus-builder.ts';
import type { SkillMatter } from '../corpus/entries.ts';
import type { SnapshotSkill } from '../corpus/snapshot.ts';
import { tagAt } from '../corpus/tags.ts';
import type { PageFrame } from './layout.ts';
import type { SiteSource } from './site-source.ts';

/** The procedure as structured data: its steps are the ordered list below the heading "Process", or the first one. */
export function howTo({ site }: PageFrame, skill: SnapshotSkill, matter: SkillMatter, body: string): object {
  const steps = stepsOf(body, site.corpus).map((text, index) => ({ '@type': 'HowToStep', position: index + 1, text }));
  const changed = lastChangeOf(site, skill.id) ?? matter.last_verified;
  return {
    '@context': 'https://schema.org',
    '@type': steps.length > 0 ? 'HowTo' : 'Article',
    name: skill.title,
    description: skill.summary,
    version: skill.version,
    ...(changed === undefined ? {} : { dateModified: changed }),
    ...(site.baseUrl === undefined ? {} : { url: `${site.baseUrl}/skills/${skill.id}.html` }),
    ...(steps.length > 0 ? { step: steps } : {}),
    citation: matter.citations.map(({ url }) => url),
  };
}

/** The date of the last commit that touched a skill; undefined without history. */
function lastChangeOf({ history }: SiteSource, id: string): string | undefined {
  const file = `skills/${id}/canonical.md`;
  const last = history?.find(({ files }) => files.some(({ path }) => path === file));
  return last && new Date(last.at).toISOString().slice(0, 10);
}

function stepsOf(body: string, corpus: Corpus): string[] {
  const { children } = bodyTree(body).root;
  const text = (node: Nodes) => plainText(node, corpus).replaceAll(/\s+/g, ' ').trim();
  const process = children.findIndex((node) => node.type === 'heading' && /^process$/i.test(text(node)));
  const list = children.slice(Math.max(process, 0)).find((node) => node.type === 'list' && node.ordered === true);
  return list?.type === 'list' ? list.children.map(text).filter((step) => step !== '') : [];
}

/** The plain text of a node; tags are replaced by their meaning. */
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
