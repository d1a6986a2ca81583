import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Edited } from './apply-diff.ts';
import type { FieldStep } from './field-path.ts';
import { spliceYaml } from './splice-yaml.ts';

export type YamlPath = readonly (string | number)[];

/** One change of a YAML text. */
export interface YamlEdit {
  readonly path: YamlPath;
  readonly value: unknown;
}

/** Sets values and keeps every other byte; rewrites the whole text if that is impossible. */
export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  let edited = text;
  for (const edit of edits) edited = editOne(edited, edit);
  return edited;
}

/** Whether a text is valid YAML: invalid text cannot be rewritten. */
export function isYaml(text: string): boolean {
  return parse(text).errors.length === 0;
}

/** Resolves steps to a path in this text. A list element must exist, the members below it need not; only a map has members. */
export function locate(text: string, from: YamlPath, steps: readonly FieldStep[]): YamlPath | Edited {
  const document = parse(text);
  const path: (string | number)[] = [...from];
  for (const step of steps) {
    if ('name' in step) {
      const parent = path.length === 0 ? document.contents : document.getIn(path, true);
      if (parent != null && !isMap(parent)) {
        return {
          ok: false,
          keyword: 'field_path',
          message: `${step.name} cannot be set: the field before it has no members`,
        };
      }
      path.push(step.name);
      continue;
    }
    const index = indexOfId(document, path, step.id, 'id');
    if (index < 0) return { ok: false, keyword: 'field_path', message: `there is no element with the id ${step.id}` };
    path.push(index);
  }
  return path;
}

/** Index of the element of a list that has this id, or -1. */
export function indexOfElement(text: string, path: YamlPath, id: string, key: 'id' | 'uid'): number {
  return indexOfId(parse(text), path, id, key);
}

export function readYaml(text: string, path: YamlPath): unknown {
  const document = parse(text);
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return node && typeof node === 'object' && 'toJS' in node
    ? (node as { toJS(d: Document): unknown }).toJS(document)
    : node;
}

function indexOfId(document: Document, path: YamlPath, id: string, key: 'id' | 'uid'): number {
  const list = path.length === 0 ? document.contents : document.getIn(path, true);
  return isSeq(list) ? list.items.findIndex((item) => isMap(item) && item.get(key) === id) : -1;
}

function editOne(text: string, { path, value }: YamlEdit): string {
  const document = parse(text);
  const spliced = replaceWord(text, document, { path, value }) ?? spliceYaml(text, document, path, value);
  const node = document.createNode(value);
  if (path.at(-1) === -1) document.addIn(path.slice(0, -1), node);
  else document.setIn(path, node);
  // Correctness first: if the result does not read as intended, rewrite the whole text.
  if (spliced !== undefined && readsAs(spliced, document)) return spliced;
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Writes a state or version without quotes: it reads as a string either way. */
function replaceWord(text: string, document: Document, { path, value }: YamlEdit): string | undefined {
  if (typeof value !== 'string' || (path.at(-1) !== 'status' && path.at(-1) !== 'version')) return undefined;
  const node = document.getIn(path, true);
  if (!isScalar(node) || !node.range) return undefined;
  const [start, end] = node.range;
  return text.slice(0, start) + value + text.slice(end);
}

function readsAs(text: string, expected: Document): boolean {
  const found = parse(text);
  return found.errors.length === 0 && JSON.stringify(found.toJS()) === JSON.stringify(expected.toJS());
}

function parse(text: string): Document {
  return parseDocument(text, { version: '1.2', schema: 'core', merge: false });
}
