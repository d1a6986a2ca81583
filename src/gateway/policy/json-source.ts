import type { Node } from 'jsonc-parser';
import { parseJsonTree } from '../../libraries/json-tree.ts';
import type { Place } from './policy-document.ts';

/** A JSON text as a tree with source positions; allows comments, trailing commas and a BOM. */
export interface JsonSource {
  readonly root: Node | undefined;
  readonly syntaxError: (Place & { readonly message: string }) | undefined;
  lineAt(offset: number): number;
}

export function readJsonSource(text: string): JsonSource {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const { root, error } = parseJsonTree(body);
  const starts = lineStarts(body);
  const lineAt = (offset: number) => lineOf(starts, offset);
  return {
    root,
    syntaxError: error && { line: lineAt(error.offset), pointer: '', message: `not JSON: ${error.message}` },
    lineAt,
  };
}

/** The members of an object node in order: name, the node of the key and of the value. */
export function membersOf(node: Node): { name: string; key: Node; value: Node }[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key && value ? [{ name: key.value as string, key, value }] : [];
  });
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let index = text.indexOf('\n'); index !== -1; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return starts;
}

function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
