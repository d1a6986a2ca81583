import { applyEdits, type Edit, findNodeAtLocation, type Node } from 'jsonc-parser';
import { BinderyError } from '../../contract/errors.ts';
import { append, removeProperty, setMemberEdits, sourceOf } from '../../libraries/json-edit.ts';
import { duplicateIds, parseConfigText, withoutBom } from './config-layer.ts';

/** Sets one member and leaves every other byte of the text unchanged. Undefined text: a new file. */
export function setMember(text: string | undefined, path: readonly string[], value: unknown): string {
  return edit(text, (source, root) => setMemberEdits(source, root, path, value));
}

/** Removes one member, and parent objects that become empty (except the top level). */
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

/** Appends an item to a list, and creates the list if it is missing. */
export function appendItem(text: string | undefined, path: readonly string[], item: unknown): string {
  const root = isBlank(text) ? undefined : parseConfigText(text).root;
  if (!root || findNodeAtLocation(root, [...path]) === undefined) return setMember(text, path, [item]);
  return edit(text, (source, tree) => {
    const list = findNodeAtLocation(tree, [...path]) as Node;
    if (list.type !== 'array') throw invalidConfig(`"${path.join('.')}" is not a list`);
    return append(source, list, item, { depth: path.length });
  });
}

/** Runs edits of this file, and adds the file name to errors. */
export function namingFile<T>(file: string, edits: () => T): T {
  try {
    return edits();
  } catch (thrown) {
    if (!(thrown instanceof BinderyError) || thrown.code !== 'CONFIG_INVALID') throw thrown;
    throw new BinderyError('CONFIG_INVALID', { detail: `${file}: ${thrown.detail}`, cause: thrown });
  }
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
