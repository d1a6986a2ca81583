import { type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';

/** The edits that set one member of a text: in place if it exists, else after the other members, with any missing parent objects. */
export function setMemberEdits(source: string, root: Node, path: readonly string[], value: unknown): Edit[] {
  const target = findNodeAtLocation(root, [...path]);
  if (target) return replaceValue(source, target, value);
  const parents = path.map((_, index) => path.slice(0, index));
  const present = parents.findLast((parent) => findNodeAtLocation(root, parent) !== undefined) ?? [];
  const [key = '', ...inner] = path.slice(present.length);
  const nested = inner.reduceRight<unknown>((content, name) => ({ [name]: content }), value);
  return append(source, findNodeAtLocation(root, present) as Node, nested, { depth: present.length, key });
}

export function replaceValue(source: string, target: Node, value: unknown): Edit[] {
  const prefix = /^[ \t]*/.exec(source.slice(lineStart(source, target.offset)))?.[0] ?? '';
  const inOneLine = target.parent?.parent && !sourceOf(source, target.parent.parent).includes('\n');
  const content = inOneLine ? inlineJson(source, value) : pretty(source, value, prefix);
  return [{ offset: target.offset, length: target.length, content }];
}

/** Where a value goes: the depth of its parent, and its name in an object. */
interface AppendedPlace {
  readonly depth: number;
  readonly key?: string;
}

/** Appends after the last member and the comment on its line, so that the comment stays with its member. */
export function append(source: string, parent: Node, value: unknown, { depth, key }: AppendedPlace): Edit[] {
  const { indent, eol } = layoutOf(source);
  const last = parent.children?.at(-1);
  const outer = indent.repeat(depth);
  const isOneLine = !sourceOf(source, parent).includes('\n');
  if (isOneLine && (last || isOneLineText(source, parent))) return appendInline(source, parent, value, key);
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const prefix = `${outer}${indent}`;
  const line = `${eol}${prefix}${name}${pretty(source, value, prefix)}`;
  if (isOneLine) return [{ offset: parent.offset + 1, length: parent.length - 2, content: `${line}${eol}${outer}` }];
  const anchor = last ? endOf(last) : parent.offset + 1;
  const edits: Edit[] = [{ offset: restOfLine(source, anchor), length: 0, content: line }];
  if (last && commaAfter(source, anchor) === undefined) edits.unshift({ offset: anchor, length: 0, content: ',' });
  return edits;
}

/** Appends on the line of its parent, with spaces if the text has them. */
function appendInline(source: string, parent: Node, value: unknown, key: string | undefined): Edit[] {
  const { comma } = inlineStyle(source);
  const member = inlineMember(source, key, value);
  const last = parent.children?.at(-1);
  if (!last) return [{ offset: parent.offset + 1, length: 0, content: member }];
  const behindComma = commaAfter(source, endOf(last));
  if (behindComma !== undefined) return [{ offset: behindComma, length: 0, content: `${comma.slice(1)}${member}` }];
  return [{ offset: endOf(last), length: 0, content: `${comma}${member}` }];
}

/** A member, or an item of a list, on one line in the layout of this text. */
export function inlineMember(source: string, key: string | undefined, value: unknown): string {
  const name = key === undefined ? '' : `${JSON.stringify(key)}${inlineStyle(source).colon}`;
  return `${name}${inlineJson(source, value)}`;
}

/** Whether the text is one object on one line, written by a program; an empty object has no layout. */
function isOneLineText(source: string, node: Node): boolean {
  let root = node;
  while (root.parent) root = root.parent;
  return (root.children?.length ?? 0) > 0 && !sourceOf(source, root).includes('\n');
}

/** JSON on one line in the layout of the surrounding text: with or without spaces after colons and commas, and inside of braces. */
function inlineJson(source: string, value: unknown): string {
  const { colon, comma, isAiry } = inlineStyle(source);
  if (colon === ':') return JSON.stringify(value);
  // Strings contain no line breaks, so each line break is layout.
  const edge = isAiry ? ' ' : '';
  return JSON.stringify(value, null, 1)
    .replaceAll(/([{[])\n\s*/g, `$1${edge}`)
    .replaceAll(/\n\s*([}\]])/g, `${edge}$1`)
    .replaceAll(/,\n\s*/g, comma);
}

function inlineStyle(source: string): { readonly colon: string; readonly comma: string; readonly isAiry: boolean } {
  const isTight = /":[^\s]/.test(source) && !/": /.test(source);
  return { colon: isTight ? ':' : ': ', comma: isTight ? ',' : ', ', isAiry: /\{ +"/.test(source) };
}

/** Removes a member with its comma, the comment on its line, and the line itself if nothing else is on it. */
export function removeProperty(source: string, property: Node): Edit[] {
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const ownComma = commaAfter(source, endOf(property));
  const isLast = siblings.at(-1) === property;
  let start = property.offset;
  let end = restOfLine(source, ownComma ?? endOf(property));
  const before = source.slice(lineStart(source, start), start);
  const lineEnd = /^[ \t]*\r?\n/.exec(source.slice(end))?.[0];
  if (before.trim() === '' && lineEnd !== undefined) {
    start -= before.length;
    end += lineEnd.length;
  } else {
    end = ownComma ?? endOf(property);
    // The space goes with the comma: before the member, or after it if it is the first.
    if (previous || ownComma === undefined) start -= /[ \t]*$/.exec(before)?.[0].length ?? 0;
    else end += /^[ \t]*/.exec(source.slice(end))?.[0].length ?? 0;
  }
  const edits: Edit[] = [{ offset: start, length: end - start, content: '' }];
  const comma = isLast && ownComma === undefined && previous ? commaAfter(source, endOf(previous)) : undefined;
  if (comma !== undefined) edits.unshift({ offset: comma - 1, length: 1, content: '' });
  return edits;
}

/** Where the comma after a value ends; undefined if the object or list ends first. */
function commaAfter(source: string, offset: number): number | undefined {
  // One piece at a time, so that a comma inside a comment does not count.
  const trivia = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
  trivia.lastIndex = offset;
  let end = offset;
  while (trivia.test(source)) end = trivia.lastIndex;
  return source[end] === ',' ? end + 1 : undefined;
}

/** The end of the comma and the comment that follow on the same line. */
function restOfLine(source: string, offset: number): number {
  const rest = /^[ \t]*,?[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?/.exec(source.slice(offset))?.[0] ?? '';
  return offset + rest.trimEnd().length;
}

function lineStart(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset - 1) + 1;
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}

export function sourceOf(source: string, node: Node): string {
  return source.slice(node.offset, endOf(node));
}

function pretty(source: string, value: unknown, prefix: string): string {
  const { indent, eol } = layoutOf(source);
  return JSON.stringify(value, null, indent).replaceAll('\n', `${eol}${prefix}`);
}

/** The indentation and the line ends of a text. */
export function layoutOf(source: string): { indent: string; eol: string } {
  const indent = /^([ \t]+)["\]}]/m.exec(source)?.[1] ?? '  ';
  return { indent: indent.startsWith('\t') ? '\t' : indent, eol: source.includes('\r\n') ? '\r\n' : '\n' };
}
