import type { Nodes, Parents, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { CIVIC_LIMITS } from '../config.ts';
import { readTables } from './body-tables.ts';
import { markdownSteps } from './markdown-work.ts';

/** Lists and quotes in one line. */
const NESTING_MAX = 50;

/** The parsed body. */
export interface BodyTree {
  readonly root: Root;
  /** Faults of its tables, a sentence each. */
  readonly tableFaults: readonly string[];
}

/** Cache of trees: a body is parsed for a check, and again for each language. */
const trees = new Map<string, BodyTree>();
const TREES_MAX = 64;
/** Total length of the bodies in the cache. */
const CHARS_MAX = 1_000_000;
let charsKept = 0;

/** The syntax tree of a body: CommonMark and tables. Cached, because parsing is most of the cost of a page. */
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

/** Whether a body takes too long to parse, or is nested too deeply. */
export function isTooTangled(body: string): boolean {
  if (markdownSteps(body) > CIVIC_LIMITS.markdown_steps_max) return true;
  return body.split('\n').some((line) => {
    const markers = /^(?:[\s>*+-]|\d{1,9}[.)])*/.exec(line)?.[0] ?? '';
    return markers.replaceAll(/\s/g, '').length > NESTING_MAX && !/^\s*(?:[-*][\s]*)+$/.test(line);
  });
}

/** The source offsets of a node. */
export function rangeOf({ position }: Nodes): readonly [start: number, end: number] {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}

/** A node and its descendants, in text order. */
export function* nodesOf(node: Nodes): Generator<Nodes> {
  const pending: Nodes[] = [node];
  for (let next = pending.pop(); next; next = pending.pop()) {
    yield next;
    if ('children' in next) pending.push(...(next as Parents).children.toReversed());
  }
}
