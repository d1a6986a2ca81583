import type { Nodes } from 'mdast';
import { bodyTree, isTooTangled } from './body-tree.ts';
import { isActiveUrl, type Tag, tagAt, unbalancedTag } from './tags.ts';

export interface CheckedBody {
  /** Why the body may not be served, a sentence each, without quoting it; empty: it may. */
  readonly faults: readonly string[];
  /** Tags outside of code, in order. */
  readonly tags: readonly Tag[];
}

const OPENS_MARKUP = /[A-Za-z/!?]/;
const AUTOLINK = /<(?:https?:\/\/|mailto:)[^\s<>]*>/y;
const SUSPECT_SCHEME = /(?:javascript|vbscript|data|file|blob)\s*\\?:/i;
const MODULE_LINE = /^(?:import|export)\s/m;

/**
 * Finds everything that is neither text nor one of the seven tags. Most bodies contain no possible code or other markup and pass in a
 * single scan; for the rest the syntax tree decides.
 */
export function checkBody(body: string): CheckedBody {
  if (isTooTangled(body))
    return { faults: ['the body nests too much, or has too many marks in a paragraph, to be read'], tags: [] };
  return checkSimpleBody(body) ?? checkBodyTree(body);
}

/** Accepts a body in which every `<` opens an allowed tag; undefined if the syntax tree must decide. */
export function checkSimpleBody(body: string): CheckedBody | undefined {
  if (/[{}\u0000-\u0008\u000b-\u001f]/.test(body) || SUSPECT_SCHEME.test(body) || MODULE_LINE.test(body)) {
    return undefined;
  }
  if (/\](?:\(|:)/.test(body) && /[\t\\]|&[#a-z]/i.test(body)) return undefined;
  const mayHaveCode = /`|~~~/.test(body);
  const mayDefineLinks = body.includes(']:');
  const hasLinks = body.includes('](');
  const tags: Tag[] = [];
  for (let at = body.indexOf('<'); at !== -1; at = body.indexOf('<', at + 1)) {
    if (!OPENS_MARKUP.test(body[at + 1] ?? '')) continue;
    if (mayHaveCode || mayDefineLinks) return undefined;
    const tag = tagAt(body, at);
    const before = body.slice(body.lastIndexOf('\n', at) + 1, at);
    // After four spaces or a tab it may be code, after a backslash text, after a bracket a URL.
    if (!tag || / {4}|\t/.test(before) || /[\\(]$/.test(before)) return undefined;
    // After an unclosed URL it may be the title of a link.
    const link = hasLinks ? body.lastIndexOf('](', at) : -1;
    if (link !== -1 && !body.slice(link, at).includes(')')) return undefined;
    // Whether a tag over two lines is a tag depends on its context.
    if (tag.written.includes('\n')) return undefined;
    tags.push(tag);
    at = tag.end - 1;
  }
  return unbalancedTag(tags) ? undefined : { faults: [], tags };
}

/** Checks a body by its syntax tree. */
export function checkBodyTree(body: string): CheckedBody {
  const faults = new Set<string>();
  const tags: Tag[] = [];
  const pending: { node: Nodes; depth: number }[] = [{ node: bodyTree(body).root, depth: 0 }];
  for (let item = pending.pop(); item; item = pending.pop()) {
    const { node, depth } = item;
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? 0;
    const source = body.slice(start, end);
    switch (node.type) {
      case 'html':
        checkMarkup(body, start, end, tags, faults);
        break;
      case 'code':
        // MDX does not treat indented code as code.
        if (!/^(?:```|~~~)/.test(source)) checkText(source, faults);
        break;
      case 'text':
        checkText(source, faults);
        break;
      case 'paragraph':
      case 'table':
        if (depth === 1 && MODULE_LINE.test(source)) faults.add('an import or export');
        break;
      case 'link':
      case 'image':
      case 'definition':
        if (isActiveUrl(node.url)) faults.add('a link that runs something');
        break;
    }
    if ('children' in node) for (const child of node.children) pending.push({ node: child, depth: depth + 1 });
  }
  tags.sort((a, b) => a.start - b.start);
  if (unbalancedTag(tags)) faults.add('a tag that is not closed, or closes nothing');
  return { faults: [...faults], tags };
}

function checkMarkup(body: string, start: number, end: number, tags: Tag[], faults: Set<string>): void {
  let text = '';
  for (let at = start; at < end; ) {
    const tag = body[at] === '<' ? tagAt(body, at) : undefined;
    if (tag && tag.end <= end) {
      tags.push(tag);
      at = tag.end;
      text += ' ';
      continue;
    }
    AUTOLINK.lastIndex = at;
    const link = body[at] === '<' ? AUTOLINK.exec(body) : null;
    at += link ? link[0].length : 1;
    text += link ? ' ' : body[at - 1];
  }
  checkText(text, faults);
  if (SUSPECT_SCHEME.test(text)) faults.add('a link that runs something');
}

function checkText(source: string, faults: Set<string>): void {
  const bare = source.replaceAll(/\\[\s\S]/g, '  ');
  if (/[{}]/.test(bare)) faults.add('an expression in braces');
  if (/<!--|<!|<\?/.test(bare)) faults.add('a comment or declaration');
  else if (/<[A-Za-z/]/.test(bare)) faults.add('a tag or element that is not allowed');
}
