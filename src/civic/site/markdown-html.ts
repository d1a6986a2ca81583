import type { Code, Definition, Image, ImageReference, Link, LinkReference, Nodes, Parents, Table } from 'mdast';
import { bodyTree, nodesOf } from '../corpus/body-tree.ts';
import { definitionsOf } from '../corpus/hidden-text.ts';
import { isActiveUrl, type Tag, tagAt } from '../corpus/tags.ts';
import { escapeHtml } from '../forms/render-form.ts';
import { type Direction, directionAgainst, directionOf } from './directions.ts';

/** Replacements of the tags of a body. Each is self-contained markup. */
export interface TagTexts {
  value(uid: string, name: string): string;
  reference(attributes: Readonly<Record<string, string>>): string;
  path(id: string): string;
  skill(id: string): string;
  observations(skillId: string): string;
  risk(reason: string): string;
  providers(category: string): string;
  /** The target of a link on this page; undefined: no link, only its words. */
  link(url: string): string | undefined;
}

const SAFE_LINK = /^(?:https?:\/\/|mailto:|tel:|#|\.{0,2}\/|[a-z0-9_-]+(?:[/.#]|$))/i;

/**
 * Renders a body as HTML. Its language decides the direction of its blocks; a block that is mostly in another script has its own. Only structure from the syntax tree becomes markup, every text is escaped. `hiddenTexts` must report everything
 * that is left out here.
 */
export function markdownHtml(body: string, tags: TagTexts, title?: string): string {
  const { root } = bodyTree(body);
  const first = root.children[0];
  const isTitle = first?.type === 'heading' && first.depth === 1 && (title === undefined || isInTitle(first, title));
  // The page already shows its title.
  const children = isTitle ? root.children.slice(1) : root.children;
  const direction = directionOf(`${title ?? ''} ${proseOf(root)}`) ?? 'ltr';
  const html = new Writer(tags, definitionsOf(root), direction).children({ ...root, children });
  return `<div dir="${direction}">\n${html}</div>\n`;
}

/** The words of a node: no code, no tags, no targets of links. */
function proseOf(node: Nodes): string {
  return [...nodesOf(node)].map((one) => (one.type === 'text' ? one.value : '')).join(' ');
}

/** Whether the title contains the whole heading. */
function isInTitle(heading: Nodes, title: string): boolean {
  const nodes = [...nodesOf(heading)].slice(1);
  if (nodes.some(({ type }) => type !== 'text')) return false;
  return title.includes(nodes.map((node) => ('value' in node ? node.value : '')).join(''));
}

/** Alignment follows the text direction. */
const SIDES = { left: '', center: ' class="center"', right: ' class="end"' } as const;

class Writer {
  readonly #tags: TagTexts;
  readonly #definitions: ReadonlyMap<string, Definition>;

  readonly #direction: Direction;

  constructor(tags: TagTexts, definitions: ReadonlyMap<string, Definition>, direction: Direction) {
    this.#tags = tags;
    this.#definitions = definitions;
    this.#direction = direction;
  }

  /** The direction of a block against that of the body. */
  #against(node: Nodes): string {
    return directionAgainst(this.#direction, proseOf(node));
  }

  children(node: Parents): string {
    let html = '';
    // An expanded value shows the catalogue's value.
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
        return `<p${this.#against(node)}>${this.children(node)}</p>\n`;
      case 'heading': {
        const level = Math.min(Math.max(node.depth, 2), 4);
        return `<h${level}${this.#against(node)}>${this.children(node)}</h${level}>\n`;
      }
      case 'emphasis':
        return `<em>${this.children(node)}</em>`;
      case 'strong':
        return `<strong>${this.children(node)}</strong>`;
      case 'inlineCode':
        return `<code dir="ltr">${escapeHtml(node.value)}</code>`;
      case 'code':
        return this.#code(node);
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
        return `<li>${this.#item(node)}</li>\n`;
      case 'link':
      case 'linkReference':
        return this.#link(this.#urlOf(node), this.children(node));
      case 'image':
      case 'imageReference':
        return this.#link(this.#urlOf(node), escapeHtml(node.alt || this.#urlOf(node)));
      case 'table':
        return this.#table(node);
      case 'definition':
        return '';
      default:
        return 'children' in node ? this.children(node) : 'value' in node ? escapeHtml(node.value) : '';
    }
  }

  /** A single paragraph needs no block. With a direction of its own it stays beside the number of the item. */
  #item(node: Parents): string {
    const [only, second] = node.children;
    if (only?.type !== 'paragraph' || second) return this.children(node);
    const against = this.#against(only);
    return against === '' ? this.children(only) : `<bdi${against}>${this.children(only)}</bdi>`;
  }

  #urlOf(node: Link | Image | LinkReference | ImageReference): string {
    return 'url' in node ? node.url : (this.#definitions.get(node.identifier)?.url ?? '');
  }

  /** Shows the URL behind the words if the link does not lead there. */
  #link(url: string, words: string): string {
    const target = this.#tags.link(url);
    const html = target === undefined ? words : linkHtml(target, words);
    const showsTarget = html !== words && (target === url || !/[?#]/.test(url));
    return showsTarget || url === '' || words === escapeHtml(url)
      ? html
      : `${html} <span class="faint" dir="ltr">(${escapeHtml(url)})</span>`;
  }

  #code({ value, lang, meta }: Code): string {
    const info = [lang, meta].filter((one) => one != null && one !== '').join(' ');
    const name = info === '' ? '' : `<p class="faint info" dir="ltr">${escapeHtml(info)}</p>\n`;
    return `${name}<pre dir="ltr"><code>${escapeHtml(value)}</code></pre>\n`;
  }

  /** A wide table scrolls in its own focusable frame. Rows may have more cells than there are columns. */
  #table({ align, children: [head, ...rows] }: Table): string {
    const side = (column: number) => SIDES[align?.[column] ?? 'left'];
    const names = (head?.children ?? []).map(
      (cell, column) => `<th scope="col"${side(column)}${this.#against(cell)}>${this.children(cell)}</th>`,
    );
    const lines = rows.map(
      ({ children }) =>
        `<tr>${children.map((cell, column) => `<td${side(column)}${this.#against(cell)}>${this.children(cell)}</td>`).join('')}</tr>\n`,
    );
    const label = names.map((name) => name.replaceAll(/<[^>]*>/g, '').trim()).join(', ');
    return `<div class="table" role="group" tabindex="0" aria-label="${label}"><table><thead><tr>${names.join('')}</tr></thead><tbody>\n${lines.join('')}</tbody></table></div>\n`;
  }

  /** A piece that the parser took for HTML: our tags, and text. */
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

/** A link with a visible host, so that its words cannot disguise its target. */
export function linkHtml(url: string, words: string): string {
  if (isActiveUrl(url) || !SAFE_LINK.test(url)) return words;
  const host = URL.canParse(url) ? new URL(url).host : '';
  const shown =
    host !== '' && !words.includes(escapeHtml(host))
      ? ` <span class="faint" dir="ltr">(${escapeHtml(host)})</span>`
      : '';
  const rel = /^https?:/i.test(url) ? ' rel="nofollow noopener noreferrer"' : '';
  return `<a href="${escapeHtml(url)}"${rel}>${words}</a>${shown}`;
}
