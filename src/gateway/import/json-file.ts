import canonicalize from 'canonicalize';
import { applyEdits, type Edit, findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser';
import {
  endOf,
  inlineMember,
  layoutOf,
  removeProperty,
  replaceValue,
  setMemberEdits,
  sourceOf,
} from '../../libraries/json-edit.ts';
import { parseJsonTree } from '../../libraries/json-tree.ts';
import { type ClientServer, UnreadableFile } from './client-server.ts';

const BOM = '\uFEFF';

/** The servers of a JSON file; allows comments and trailing commas. */
export function readJsonServers(text: string, section: string): ClientServer[] {
  const root = treeOf(text, section);
  const servers = findNodeAtLocation(root, [section]);
  if (servers && servers.type !== 'object' && servers.type !== 'null') {
    throw new UnreadableFile(`line ${lineOf(text, servers.offset)}: ${section} is not an object`);
  }
  const own = propertiesOf(servers).map(({ key, value }, _, all): ClientServer => {
    const twice = all.filter((other) => other.key === key).length > 1;
    return { id: key, value: getNodeValue(value), ...(twice ? { obstacle: 'it is defined twice in the file' } : {}) };
  });
  const ofProjects = propertiesOf(findNodeAtLocation(root, ['projects'])).flatMap(({ value }) =>
    propertiesOf(findNodeAtLocation(value, [section])).map(
      ({ key, value: server }): ClientServer => ({
        id: key,
        value: getNodeValue(server),
        obstacle: 'it belongs to one project',
        isOfProject: true,
      }),
    ),
  );
  return [...own, ...ofProjects];
}

/** Replaces all servers by one. Keeps comments between the servers; those within a server are removed with it. */
export function replaceJsonServers(text: string, section: string, id: string, entry: object): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const source = isBlank(text) ? '{}\n' : text.slice(bom.length);
  const node = findNodeAtLocation(treeOf(source, section), [section]);
  const layout = layoutOf(source);
  const properties = node?.type === 'object' ? (node.children ?? []) : [];
  const [first, last] = [properties[0], properties.at(-1)];
  if (!first || !last) return bom + applyEdits(source, setEdits(source, section, id, entry));
  const gaps = properties.slice(1).map((property, index) => {
    const before = properties[index] as Node;
    return source.slice(endOf(before), property.offset);
  });
  const inOneLine = !source.slice(node?.offset, endOf(node as Node)).includes('\n');
  const indent = /[ \t]*$/.exec(source.slice(0, first.offset))?.[0] ?? '';
  const comments = gaps.flatMap(commentsOf).map((comment) => `${layout.eol}${indent}${comment}`);
  const member = inOneLine
    ? inlineMember(source, id, entry)
    : `${JSON.stringify(id)}: ${JSON.stringify(entry, null, layout.indent).replaceAll('\n', `${layout.eol}${indent}`)}`;
  const after = source.slice(endOf(last));
  const comma = comments.length > 0 ? (/^\s*,/.exec(after)?.[0] ?? '') : '';
  const rest = after.slice(comma.length);
  // A line comment would swallow the rest of its line.
  const lineEnd = comments.length === 0 || /^[ \t]*\r?\n/.test(rest) ? '' : layout.eol;
  const before = source.slice(0, first.offset);
  return `${bom}${before}${member}${comma}${comments.join('')}${lineEnd}${rest}`;
}

/** Adds or replaces a server in the file's own layout, or removes it; keeps every other byte. */
export function setJsonServer(text: string, section: string, id: string, entry: object | undefined): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const source = isBlank(text) ? '{}\n' : text.slice(bom.length);
  if (entry !== undefined) return bom + applyEdits(source, setEdits(source, section, id, entry));
  const property = findNodeAtLocation(treeOf(source, section), [section, id])?.parent;
  return property ? bom + applyEdits(source, removeProperty(source, property)) : text;
}

/** Restores the exact bytes of a server from another version of the file; it must be in both. */
export function bringBackJsonServer(text: string, before: string, section: string, id: string): string {
  const [now, then] = [text, before].map((source) => source.replace(BOM, '')) as [string, string];
  const [target, old] = [now, then].map((source) => findNodeAtLocation(treeOf(source, section), [section, id]));
  if (!target || !old) return text;
  const bom = text.startsWith(BOM) ? BOM : '';
  return `${bom}${now.slice(0, target.offset)}${sourceOf(then, old)}${now.slice(endOf(target))}`;
}

function setEdits(source: string, section: string, id: string, entry: object): Edit[] {
  const root = treeOf(source, section);
  const servers = findNodeAtLocation(root, [section]);
  const present = findNodeAtLocation(root, [section, id]);
  // Leave an equal entry as it is written.
  if (present && canonicalize(getNodeValue(present)) === canonicalize(entry)) return [];
  if (servers === undefined || servers.type === 'object') return setMemberEdits(source, root, [section, id], entry);
  if (servers.type !== 'null') throw new UnreadableFile(`${section} is not an object`);
  return replaceValue(source, servers, { [id]: entry });
}

interface Property {
  readonly key: string;
  readonly value: Node;
}

function treeOf(text: string, section: string): Node {
  const source = text.startsWith(BOM) ? text.slice(BOM.length) : text;
  const { root, error } = parseJsonTree(isBlank(source) ? '{}' : source);
  if (error) {
    throw new UnreadableFile(`line ${lineOf(source, error.offset)}: ${error.message}`);
  }
  if (root.type !== 'object') throw new UnreadableFile('it is not a JSON object');
  // With duplicate sections, clients differ in which one they use.
  const sections = (root.children ?? []).filter(({ children }) => children?.[0]?.value === section);
  const second = sections[1];
  if (second) throw new UnreadableFile(`line ${lineOf(source, second.offset)}: "${section}" is there twice`);
  return root;
}

function lineOf(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

function propertiesOf(node: Node | undefined): Property[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    return key && value ? [{ key: String(key.value), value }] : [];
  });
}

function commentsOf(gap: string): string[] {
  return (gap.match(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g) ?? []).map((comment) => comment.trimEnd());
}

function isBlank(text: string): boolean {
  return text.replace(BOM, '').trim() === '';
}
