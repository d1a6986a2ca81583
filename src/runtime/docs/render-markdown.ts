import type { Nodes, PhrasingContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { escapeHtml } from '../../http/html.ts';

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly id: string;
}

export interface RenderedPage {
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly html: string;
}

/** The target of a link; undefined if it is not served: then only its text is shown. */
export type ResolveLink = (url: string) => string | undefined;

const FENCE = /^\s*(```|~~~)/;
const TABLE_RULE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** Markdown with tables → HTML. Markup in the text is escaped, and only links that `resolve` knows become links. */
export function renderMarkdown(markdown: string, resolve: ResolveLink): RenderedPage {
  const headings: Heading[] = [];
  const html = blocksOf(markdown).map((block) =>
    typeof block === 'string'
      ? render(fromMarkdown(block), { headings, resolve })
      : table(block, { headings, resolve }),
  );
  return { title: headings[0]?.text ?? '', headings, html: html.join('') };
}

interface Rendering {
  /** The headings so far; each has a unique id. */
  readonly headings: Heading[];
  readonly resolve: ResolveLink;
}

/** The text between tables, and the rows of each table. The Markdown parser does not know tables. */
function blocksOf(markdown: string): (string | string[])[] {
  const lines = markdown.split('\n');
  const blocks: (string | string[])[] = [];
  let text: string[] = [];
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    if (fence === undefined && line.startsWith('|') && TABLE_RULE.test(lines[at + 1] ?? '')) {
      const rest = lines.slice(at);
      const end = rest.findIndex((row) => !row.startsWith('|'));
      const rows = end === -1 ? rest : rest.slice(0, end);
      blocks.push(text.join('\n'), rows);
      text = [];
      at += rows.length - 1;
    } else text.push(line);
  }
  return [...blocks, text.join('\n')];
}

function table([head = '', , ...rows]: readonly string[], rendering: Rendering): string {
  const row = (line: string, tag: 'th' | 'td') => {
    const cells = cellsOf(line).map((text) => {
      // An empty header cell is no header.
      const name = text === '' ? 'td' : tag;
      return `<${name}>${inline(text, rendering)}</${name}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  };
  // A table that is wider than the screen scrolls, also by keyboard.
  return `<div class="wide" tabindex="0"><table><thead>${row(head, 'th')}</thead><tbody>${rows.map((line) => row(line, 'td')).join('')}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Plain text and code, without other Markdown. */
const SIMPLE = /^(?:[^`*_[\]<&\\!]|`[^`]+`)*$/;

/** Inline text. A leading letter prevents a dash or a number from beginning a list. */
function inline(text: string, rendering: Rendering): string {
  // Almost all table cells are simple; parsing each would block calls.
  if (SIMPLE.test(text)) {
    const parts = text.split('`').map(escapeHtml);
    return parts.map((part, at) => (at % 2 === 1 ? `<code>${part}</code>` : part)).join('');
  }
  const [paragraph] = fromMarkdown(`a ${text}`).children;
  return paragraph?.type === 'paragraph' ? all(paragraph.children, rendering).replace(/^a ?/, '') : escapeHtml(text);
}

function all(nodes: readonly Nodes[], rendering: Rendering): string {
  return nodes.map((node) => render(node, rendering)).join('');
}

function render(node: Nodes, rendering: Rendering): string {
  switch (node.type) {
    case 'text':
    case 'html':
      return escapeHtml(node.value);
    case 'inlineCode':
      return `<code>${escapeHtml(node.value)}</code>`;
    case 'code':
      return `<pre tabindex="0"><code>${escapeHtml(node.value)}</code></pre>`;
    case 'heading':
      return heading(node, rendering);
    case 'link':
      return link(node.url, all(node.children, rendering), rendering);
    case 'list': {
      const tag = node.ordered ? 'ol' : 'ul';
      const items = node.children.map((item) => `<li>${listItem(item.children, node.spread === true, rendering)}</li>`);
      return `<${tag}>${items.join('')}</${tag}>`;
    }
    case 'break':
      return '<br>';
    case 'thematicBreak':
      return '<hr>';
    case 'image':
    case 'definition':
      // Images are not part of the package.
      return '';
    default:
      return wrapped(node, rendering);
  }
}

const TAGS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  strong: 'strong',
  emphasis: 'em',
  blockquote: 'blockquote',
};

function wrapped(node: Nodes, rendering: Rendering): string {
  const inner = 'children' in node ? all(node.children, rendering) : '';
  const tag = TAGS[node.type];
  return tag === undefined || inner === '' ? inner : `<${tag}>${inner}</${tag}>`;
}

function listItem(children: readonly Nodes[], isSpread: boolean, rendering: Rendering): string {
  return children
    .map((child) =>
      child.type === 'paragraph' && !isSpread ? all(child.children, rendering) : render(child, rendering),
    )
    .join('');
}

function heading(node: { depth: number; children: PhrasingContent[] }, { headings, resolve }: Rendering): string {
  const text = plainText(node.children);
  const id = freshId(slug(text), headings);
  headings.push({ depth: node.depth, text, id });
  return `<h${node.depth} id="${escapeHtml(id)}">${all(node.children, { headings, resolve })}</h${node.depth}>`;
}

function link(url: string, inner: string, { resolve }: Rendering): string {
  const href = resolve(url);
  return href === undefined ? inner : `<a href="${escapeHtml(href)}">${inner}</a>`;
}

function plainText(nodes: readonly Nodes[]): string {
  return nodes
    .map((node) => ('value' in node ? node.value : 'children' in node ? plainText(node.children) : ''))
    .join('');
}

/** The same slugs as the usual Markdown hosts, so that links work in both places. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function freshId(wanted: string, headings: readonly Heading[]): string {
  const taken = new Set(headings.map(({ id }) => id));
  let id = wanted;
  for (let number = 1; taken.has(id); number += 1) id = `${wanted}-${number}`;
  return id;
}
