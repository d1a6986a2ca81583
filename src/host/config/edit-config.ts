import { applyEdits, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';
import { BinderyError } from '../../contract/errors.ts';
import { duplicateIds, parseConfigText, withoutBom } from './config-layer.ts';

/** Sets one member, and leaves every other byte of the text alone. Undefined text: a new file. */
export function setMember(text: string | undefined, path: readonly string[], value: unknown): string {
  return edit(text, (source, root) => {
    const target = findNodeAtLocation(root, [...path]);
    if (target) return replaceValue(source, target, value);
    const parents = path.map((_, index) => path.slice(0, index));
    const present = parents.findLast((parent) => findNodeAtLocation(root, parent) !== undefined) ?? [];
    const [key = '', ...inner] = path.slice(present.length);
    const nested = inner.reduceRight<unknown>((content, name) => ({ [name]: content }), value);
    return append(source, findNodeAtLocation(root, present) as Node, nested, present.length, key);
  });
}

/** Removes one member, and the objects around it that this leaves empty (the top level stays). */
export function removeMember(text: string, path: readonly string[]): string {
  const removed = edit(text, (source, root) => {
    const value = findNodeAtLocation(root, [...path]);
    return value?.parent ? removeProperty(source, value.parent) : [];
  });
  const parent = path.slice(0, -1);
  const root = parseConfigText(removed).root;
  const node = root && parent.length > 0 ? findNodeAtLocation(root, parent) : undefined;
  const isBare = node && /^\{\s*\}$/.test(sourceOf(withoutBom(removed), node));
  return isBare ? removeMember(removed, parent) : removed;
}

/** Appends an item to a list, which is made where it is missing. */
export function appendItem(text: string | undefined, path: readonly string[], item: unknown): string {
  const root = isBlank(text) ? undefined : parseConfigText(text).root;
  if (!root || findNodeAtLocation(root, [...path]) === undefined) return setMember(text, path, [item]);
  return edit(text, (source, tree) => {
    const list = findNodeAtLocation(tree, [...path]) as Node;
    if (list.type !== 'array') throw invalidConfig(`"${path.join('.')}" is not a list`);
    return append(source, list, item, path.length);
  });
}

function edit(text: string | undefined, change: (source: string, root: Node) => Edit[]): string {
  const whole = isBlank(text) ? '{\n  "version": 1\n}\n' : text;
  const source = withoutBom(whole);
  const parsed = parseConfigText(source);
  if (parsed.error !== undefined) throw invalidConfig(parsed.error);
  refuseWrite(parsed.root);
  const changed = applyEdits(source, change(source, parsed.root));
  return whole.startsWith('\uFEFF') ? `\uFEFF${changed}` : changed;
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || withoutBom(text).trim() === '';
}

function refuseWrite(root: Node): void {
  const version = findNodeAtLocation(root, ['version'])?.value;
  if (version !== undefined && version !== 1) throw new BinderyError('CONFIG_VERSION');
  const [duplicate] = duplicateIds(root);
  if (duplicate !== undefined) throw invalidConfig(`the server "${duplicate}" is defined twice in this file`);
}

function invalidConfig(detail: string): BinderyError {
  return new BinderyError('CONFIG_INVALID', { detail });
}

function replaceValue(source: string, target: Node, value: unknown): Edit[] {
  const prefix = /^[ \t]*/.exec(source.slice(lineStart(source, target.offset)))?.[0] ?? '';
  const inOneLine = target.parent?.parent && !sourceOf(source, target.parent.parent).includes('\n');
  const content = inOneLine ? JSON.stringify(value) : pretty(source, value, prefix);
  return [{ offset: target.offset, length: target.length, content }];
}

/** Behind the last member and the comment on its line, so that the comment stays with what it speaks of. */
function append(source: string, parent: Node, value: unknown, depth: number, key?: string): Edit[] {
  const { indent, eol } = layoutOf(source);
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const last = parent.children?.at(-1);
  const outer = indent.repeat(depth);
  const prefix = `${outer}${indent}`;
  const isOneLine = !sourceOf(source, parent).includes('\n');
  if (isOneLine && last) {
    const comma = commaAfter(source, endOf(last)) === undefined ? ', ' : ' ';
    const offset = commaAfter(source, endOf(last)) ?? endOf(last);
    return [{ offset, length: 0, content: `${comma}${name}${JSON.stringify(value)}` }];
  }
  const line = `${eol}${prefix}${name}${pretty(source, value, prefix)}`;
  if (isOneLine) return [{ offset: parent.offset + 1, length: parent.length - 2, content: `${line}${eol}${outer}` }];
  const anchor = last ? endOf(last) : parent.offset + 1;
  const edits: Edit[] = [{ offset: restOfLine(source, anchor), length: 0, content: line }];
  if (last && commaAfter(source, anchor) === undefined) edits.unshift({ offset: anchor, length: 0, content: ',' });
  return edits;
}

/** With its comma, with the comment on its line, and with the line itself where nothing else stands on it. */
function removeProperty(source: string, property: Node): Edit[] {
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
    start -= /[ \t]*$/.exec(before)?.[0].length ?? 0;
  }
  const edits: Edit[] = [{ offset: start, length: end - start, content: '' }];
  const comma = isLast && ownComma === undefined && previous ? commaAfter(source, endOf(previous)) : undefined;
  if (comma !== undefined) edits.unshift({ offset: comma - 1, length: 1, content: '' });
  return edits;
}

/** Where the comma behind a value ends; undefined if the object or list ends first. */
function commaAfter(source: string, offset: number): number | undefined {
  // One piece at a time, so that a comma within a comment is never taken for the one behind it.
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

function endOf(node: Node): number {
  return node.offset + node.length;
}

function sourceOf(source: string, node: Node): string {
  return source.slice(node.offset, endOf(node));
}

function pretty(source: string, value: unknown, prefix: string): string {
  const { indent, eol } = layoutOf(source);
  return JSON.stringify(value, null, indent).replaceAll('\n', `${eol}${prefix}`);
}

function layoutOf(source: string): { indent: string; eol: string } {
  const indent = /^([ \t]+)["\]}]/m.exec(source)?.[1] ?? '  ';
  return { indent: indent.startsWith('\t') ? '\t' : indent, eol: source.includes('\r\n') ? '\r\n' : '\n' };
}
