import type { Nodes, Parents, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { isActiveUrl, type Tag, tagAt } from '../corpus/tags.ts';
import { escapeHtml } from '../forms/render-form.ts';

/** What stands in place of the tags of a body. Each gives markup that is whole in itself. */
export interface TagTexts {
  value(uid: string, name: string): string;
  reference(attributes: Readonly<Record<string, string>>): string;
  path(id: string): string;
  skill(id: string): string;
  observations(skillId: string): string;
  risk(reason: string): string;
  providers(category: string): string;
  /** Where a link leads from this page; undefined: nowhere, and only its words are shown. */
  link(url: string): string | undefined;
}

const SAFE_LINK = /^(?:https?:\/\/|mailto:|tel:|#|\.{0,2}\/|[a-z0-9_-]+(?:[/.#]|$))/i;

/** Trees of bodies that are rendered in one language after the other. */
const trees = new Map<string, Root>();
const TREES_MAX = 64;

/** The syntax tree of a body. Parsing is most of what a page costs, so the last ones are kept. */
export function bodyTree(body: string): Root {
  const known = trees.get(body);
  if (known) return known;
  const tree = fromMarkdown(body);
  if (trees.size >= TREES_MAX) trees.delete(trees.keys().next().value as string);
  trees.set(body, tree);
  return tree;
}

/** A body of the corpus as HTML: only what the syntax tree knows as structure becomes markup, every text is escaped. */
export function markdownHtml(body: string, tags: TagTexts): string {
  const tree = bodyTree(body);
  const first = tree.children[0];
  // The page has the title already.
  const children = first?.type === 'heading' && first.depth === 1 ? tree.children.slice(1) : tree.children;
  return new Writer(tags).children({ ...tree, children });
}

class Writer {
  readonly #tags: TagTexts;

  constructor(tags: TagTexts) {
    this.#tags = tags;
  }

  children(node: Parents): string {
    let html = '';
    // Inside a value that is written out the catalogue's value stands.
    let inValue = false;
    for (const child of node.children) {
      if (child.type !== 'html') {
        if (!inValue) html += this.#node(child);
        continue;
      }
      const { text, opens, closes } = this.#markup(child.value, inValue);
      html += text;
      inValue = opens || (inValue && !closes);
    }
    return html;
  }

  #node(node: Nodes): string {
    switch (node.type) {
      case 'text':
        return escapeHtml(node.value);
      case 'paragraph':
        return `<p>${this.children(node)}</p>\n`;
      case 'heading': {
        const level = Math.min(Math.max(node.depth, 2), 4);
        return `<h${level}>${this.children(node)}</h${level}>\n`;
      }
      case 'emphasis':
        return `<em>${this.children(node)}</em>`;
      case 'strong':
        return `<strong>${this.children(node)}</strong>`;
      case 'inlineCode':
        return `<code>${escapeHtml(node.value)}</code>`;
      case 'code':
        return `<pre><code>${escapeHtml(node.value)}</code></pre>\n`;
      case 'break':
        return '<br>';
      case 'thematicBreak':
        return '<hr>\n';
      case 'blockquote':
        return `<blockquote>${this.children(node)}</blockquote>\n`;
      case 'list': {
        const name = node.ordered ? 'ol' : 'ul';
        const start =
          node.ordered && node.start !== 1 && typeof node.start === 'number' ? ` start="${node.start}"` : '';
        return `<${name}${start}>\n${this.children(node)}</${name}>\n`;
      }
      case 'listItem':
        return `<li>${node.children.length === 1 && node.children[0]?.type === 'paragraph' ? this.children(node.children[0]) : this.children(node)}</li>\n`;
      case 'link':
        return this.#link(node.url, this.children(node));
      case 'image':
        return this.#link(node.url, escapeHtml(node.alt || node.url));
      default:
        return 'children' in node ? this.children(node) : 'value' in node ? escapeHtml(node.value) : '';
    }
  }

  #link(url: string, words: string): string {
    const target = this.#tags.link(url);
    return target === undefined ? words : linkHtml(target, words);
  }

  /** A piece that the parser took for HTML: tags of ours, and text. */
  #markup(source: string, wasInValue: boolean): { text: string; opens: boolean; closes: boolean } {
    let text = '';
    let inValue = wasInValue;
    let closes = false;
    for (let at = 0; at < source.length; ) {
      const tag = source[at] === '<' ? tagAt(source, at) : undefined;
      if (!tag) {
        if (!inValue) text += escapeHtml(source[at] as string);
        at += 1;
        continue;
      }
      if (tag.name === 'VV' && tag.kind === 'close') {
        closes = true;
        inValue = false;
      } else text += this.#tag(tag);
      if (tag.name === 'VV' && tag.kind === 'open') inValue = true;
      at = tag.end;
    }
    return { text, opens: inValue, closes };
  }

  #tag({ name, kind, attributes }: Tag): string {
    if (kind === 'close') return '';
    switch (name) {
      case 'VV':
        return this.#tags.value(attributes.uid ?? '', attributes.name ?? '');
      case 'Ref':
        return this.#tags.reference(attributes);
      case 'Path':
        return this.#tags.path(attributes.id ?? '');
      case 'Skill':
        return this.#tags.skill(attributes.id ?? '');
      case 'Observations':
        return this.#tags.observations(attributes.skill ?? '');
      case 'Risk':
        return this.#tags.risk(attributes.reason ?? '');
      case 'Providers':
        return this.#tags.providers(attributes.category ?? '');
      default:
        return '';
    }
  }
}

/** A link whose host can be read, so that its words cannot hide where it leads. */
export function linkHtml(url: string, words: string): string {
  if (isActiveUrl(url) || !SAFE_LINK.test(url)) return words;
  const host = URL.canParse(url) ? new URL(url).host : '';
  const shown =
    host !== '' && !words.includes(escapeHtml(host)) ? ` <span class="faint">(${escapeHtml(host)})</span>` : '';
  const rel = /^https?:/i.test(url) ? ' rel="nofollow noopener noreferrer"' : '';
  return `<a href="${escapeHtml(url)}"${rel}>${words}</a>${shown}`;
}
