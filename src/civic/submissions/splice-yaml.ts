import { type Document, isCollection, isMap, isPair, isScalar, isSeq, type Node, type Pair, stringify } from 'yaml';

/** Longer flow collections are written as blocks. */
const FLOW_CHARS_MAX = 100;
const STEP = 2;

/** A range of a text, and its replacement. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Sets one value and keeps every other byte: comments, order, quotes and layout. A path that ends with -1 appends to a list. Undefined: the
 * text has a shape that cannot be spliced. The caller verifies the result.
 */
export function spliceYaml(
  text: string,
  document: Document,
  path: readonly (string | number)[],
  value: unknown,
): string | undefined {
  let node: unknown = document.contents;
  let isFlow = false;
  for (const [depth, step] of path.entries()) {
    if (!isCollection(node) || !node.range) return undefined;
    isFlow ||= node.flow === true;
    const next = isMap(node) ? pairOf(node, step)?.value : node.get(step, true);
    const isLast = depth === path.length - 1;
    if (next === undefined || (next === null && !isLast)) {
      const inner = path.slice(depth + 1).reduceRight((nested, name) => ({ [name]: nested }), value);
      return apply(
        text,
        isMap(node) ? insertPair(text, node, String(step), inner) : appendItem(text, node, step, inner),
      );
    }
    if (isLast) {
      return apply(
        text,
        replaceNode(text, { node: next as Node | null, value, isFlow, column: columnOfItem(text, node, step) }),
      );
    }
    node = next;
  }
  return undefined;
}

function pairOf(map: { items: readonly unknown[] }, key: string | number): Pair | undefined {
  return map.items.find((item): item is Pair => isPair(item) && isScalar(item.key) && item.key.value === key);
}

/** The column at which the value's member begins. */
function columnOfItem(text: string, node: Node & { items: readonly unknown[] }, step: string | number): number {
  const key = isMap(node) ? pairOf(node, step)?.key : undefined;
  const start = (key as Node | undefined)?.range?.[0] ?? node.range?.[0] ?? 0;
  return columnAt(text, start);
}

interface Replacement {
  readonly node: Node | null;
  readonly value: unknown;
  readonly isFlow: boolean;
  readonly column: number;
}

function replaceNode(text: string, { node, value, isFlow, column }: Replacement): Splice | undefined {
  if (!node?.range) return undefined;
  const [from, end] = node.range;
  if (isScalar(node) && from === end) return undefined;
  const to = endOfText(text, from, end);
  const isBlock = isCollection(node) && node.flow !== true;
  if (isBlock && isStructured(value)) return { from, to, text: blockText(value, columnAt(text, from)) };
  // A scalar replaces a block collection: the value moves up next to its key.
  const start = isBlock ? endOfText(text, 0, from) : from;
  if (isScalar(node) && typeof node.value === 'string' && typeof value === 'string' && !value.includes('\n')) {
    const kept = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? quotedAs(node.type, value) : undefined;
    if (kept !== undefined) return { from, to, text: kept };
  }
  const inline = inlineText(value, isFlow);
  if (isFlow || inline.length <= FLOW_CHARS_MAX || !isStructured(value)) {
    return { from: start, to, text: isBlock ? ` ${inline}` : inline };
  }
  const indent = column + STEP;
  return { from: endOfText(text, 0, from), to, text: `\n${' '.repeat(indent)}${blockText(value, indent)}` };
}

function insertPair(
  text: string,
  map: Node & { items: readonly unknown[]; flow?: boolean | undefined },
  key: string,
  value: unknown,
): Splice | undefined {
  const last = map.items.at(-1) as Pair | undefined;
  const range = map.range as readonly [number, number, number];
  if (map.flow) {
    const pair = `${inlineText(key, true)}: ${inlineText(value, true)}`;
    const end = endOfPair(last);
    if (end === undefined) return { from: range[0], to: range[1], text: `{ ${pair} }` };
    return { from: end, to: end, text: `, ${pair}` };
  }
  const end = endOfPair(last);
  const first = (map.items[0] as Pair | undefined)?.key as Node | undefined;
  if (end === undefined || !first?.range) return undefined;
  const column = columnAt(text, first.range[0]);
  return atLineEnd(text, end, `${' '.repeat(column)}${memberText(key, value, column)}`);
}

function appendItem(text: string, list: Node, step: string | number, value: unknown): Splice | undefined {
  if (!isSeq(list) || step !== -1) return undefined;
  const last = list.items.at(-1) as Node | undefined;
  const range = list.range as readonly [number, number, number];
  if (list.flow) {
    const item = inlineText(value, true);
    if (!last?.range) return { from: range[0], to: range[1], text: `[${item}]` };
    return { from: last.range[1], to: last.range[1], text: `, ${item}` };
  }
  const first = list.items[0] as Node | undefined;
  if (!first?.range || !last?.range) return undefined;
  const column = columnAt(text, range[0]);
  return atLineEnd(text, last.range[1], `${' '.repeat(column)}- ${blockText(value, column + STEP)}`);
}

/** A new line below the line that contains `end`. */
function atLineEnd(text: string, end: number, line: string): Splice {
  const last = endOfText(text, 0, end);
  const newline = text.indexOf('\n', last);
  const at = newline < 0 ? text.length : newline;
  return { from: at, to: at, text: `\n${line}` };
}

function memberText(key: string, value: unknown, column: number): string {
  const name = inlineText(key, false);
  const inline = inlineText(value, false);
  if (!isStructured(value) || inline.length <= FLOW_CHARS_MAX) return `${name}: ${inline}`;
  const indent = column + STEP;
  return `${name}:\n${' '.repeat(indent)}${blockText(value, indent)}`;
}

/** A value as lines; later lines are indented. */
function blockText(value: unknown, column: number): string {
  return stringify(value, { lineWidth: 0 })
    .trimEnd()
    .replaceAll(/\n(?=.)/g, `\n${' '.repeat(column)}`);
}

/** A value on one line. */
function inlineText(value: unknown, isFlow: boolean): string {
  if (Array.isArray(value)) return `[${value.map((one) => inlineText(one, true)).join(', ')}]`;
  if (isStructured(value)) {
    const members = Object.entries(value).map(([key, one]) => `${inlineText(key, true)}: ${inlineText(one, true)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  const written = isFlow
    ? stringify([value], { lineWidth: 0, collectionStyle: 'flow' }).trim().slice(1, -1).trim()
    : stringify(value, { lineWidth: 0 }).trimEnd();
  // The library writes `---` as a block, which would not fit on one line.
  return written.includes('\n') || /^(?:---|\.\.\.)/.test(written) ? JSON.stringify(value) : written;
}

function quotedAs(type: 'QUOTE_DOUBLE' | 'QUOTE_SINGLE', value: string): string {
  return type === 'QUOTE_DOUBLE' ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
}

function isStructured(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function endOfPair(pair: Pair | undefined): number | undefined {
  const value = pair?.value as Node | null | undefined;
  return value?.range?.[1] ?? (pair?.key as Node | undefined)?.range?.[1];
}

/** The end of the last visible character before `end`. */
function endOfText(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && /\s/.test(text[at - 1] as string)) at--;
  return at;
}

function columnAt(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

function apply(text: string, splice: Splice | undefined): string | undefined {
  return splice && text.slice(0, splice.from) + splice.text + text.slice(splice.to);
}
