import type { Nodes, Parents, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { readTables } from './body-tables.ts';

/** What a parse may cost: the Markdown parser takes quadratic time for these. */
const BRACKETS_MAX = 5000;
const NESTING_MAX = 50;

/** A body as its readers' programs take it apart. */
export interface BodyTree {
  readonly root: Root;
  /** What is wrong with its tables, each as a sentence. */
  readonly tableFaults: readonly string[];
}

/** Trees of bodies that are read several times: by a check, and in one language after the other. */
const trees = new Map<string, BodyTree>();
const TREES_MAX = 64;
/** Of all bodies whose trees are kept. */
const CHARS_MAX = 1_000_000;
let charsKept = 0;

/** The syntax tree of a body: CommonMark and tables. Parsing is most of what a page costs, so the last ones are kept. */
export function bodyTree(body: string): BodyTree {
  const known = trees.get(body);
  if (known) return known;
  const root = fromMarkdown(body);
  const tree = { root, tableFaults: readTables(root, body) };
  trees.set(body, tree);
  charsKept += body.length;
  for (const oldest of trees.keys()) {
    if (trees.size <= TREES_MAX && charsKept <= CHARS_MAX) break;
    trees.delete(oldest);
    charsKept -= oldest.length;
  }
  return tree;
}

/** Whether a body is nested too deeply to parse it. */
export function isTooTangled(body: string): boolean {
  let brackets = 0;
  for (let at = body.indexOf('['); at !== -1; at = body.indexOf('[', at + 1)) brackets += 1;
  if (brackets > BRACKETS_MAX) return true;
  return body.split('\n').some((line) => {
    const markers = /^(?:[\s>*+-]|\d{1,9}[.)])*/.exec(line)?.[0] ?? '';
    return markers.replaceAll(/\s/g, '').length > NESTING_MAX && !/^\s*(?:[-*][\s]*)+$/.test(line);
  });
}

/** Where the source of a node begins and ends. */
export function rangeOf({ position }: Nodes): readonly [start: number, end: number] {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}

/** Every node below a node, and the node itself, in the order of the text. */
export function* nodesOf(node: Nodes): Generator<Nodes> {
  const pending: Nodes[] = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next;
    if ('children' in next) pending.push(...(next as Parents).children.toReversed());
  }
}
