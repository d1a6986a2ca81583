import { decodeNamedCharacterReference } from 'decode-named-character-reference';
import type { AlignType, Nodes, Paragraph, PhrasingContent, Root, RootContent, Table, TableCell, Text } from 'mdast';

/** The delimiter row of a table: `|---|:-:|`. */
const DELIMITERS = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;
const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z0-9]{1,31}));/gi;

/**
 * Turns paragraphs that are GitHub tables into table nodes, in place. A cell ends at a pipe that is neither escaped nor inside code, a link
 * or emphasis. Returns the faults of tables, whose lines readers would see as text.
 */
export function readTables(root: Root, body: string): string[] {
  const faults: string[] = [];
  if (!/\|/.test(body)) return faults;
  const pending: Nodes[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (!('children' in node)) continue;
    const children = (node.children as RootContent[]).flatMap((child) =>
      child.type === 'paragraph' ? tablesIn(child, body, faults) : [child],
    );
    node.children = children as typeof node.children;
    pending.push(...children);
  }
  return faults;
}

/** One line of a paragraph: text pieces with their positions, and whole nodes. */
type Line = readonly PhrasingContent[];

function tablesIn(paragraph: Paragraph, body: string, faults: string[]): RootContent[] {
  const [start = 0, end = 0] = [paragraph.position?.start.offset, paragraph.position?.end.offset];
  if (!body.slice(start, end).includes('|') || !body.slice(start, end).includes('\n')) return [paragraph];
  const lines = linesOf(paragraph, body);
  const at = lines?.findIndex((line) => delimitersIn(line, body) !== undefined) ?? -1;
  if (!lines || at < 1) {
    if (looksLikeTable(body.slice(start, end))) faults.push('a table has no line of dashes below its first line');
    return [paragraph];
  }
  const align = delimitersIn(lines[at] as Line, body) as AlignType[];
  const rows = [lines[at - 1] as Line, ...lines.slice(at + 1)].map((line) => cellsOf(line, body));
  const head = rows[0]?.length ?? 0;
  if (head !== align.length) {
    faults.push(`a table has ${head} names of columns and ${align.length} groups of dashes`);
    return [paragraph];
  }
  const odd = rows.find((row) => row.length !== head);
  if (odd) faults.push(`a table of ${head} columns has a line with ${odd.length} cells`);
  const before = lines.slice(0, at - 1).flatMap((line, index) => (index === 0 ? line : [text('\n', start), ...line]));
  const table: Table = {
    type: 'table',
    align,
    children: rows.map((cells) => ({ type: 'tableRow', children: cells })),
    position: paragraph.position,
  };
  return before.length === 0 ? [table] : [{ ...paragraph, children: before }, table];
}

function looksLikeTable(source: string): boolean {
  const lines = source.split('\n');
  return lines.length > 1 && lines.every((line) => /^[\s>]*\|.*\|\s*$/.test(line));
}

/** Undefined if a node spans several lines. */
function linesOf({ children }: Paragraph, body: string): Line[] | undefined {
  const lines: PhrasingContent[][] = [[]];
  for (const child of children) {
    const [start = 0, end = 0] = [child.position?.start.offset, child.position?.end.offset];
    if (child.type === 'break') {
      lines.push([]);
      continue;
    }
    const source = body.slice(start, end);
    if (child.type !== 'text') {
      if (source.includes('\n')) return undefined;
      lines.at(-1)?.push(child);
      continue;
    }
    let at = start;
    for (const [index, line] of source.split('\n').entries()) {
      // List and quotation marks before a later line belong to no cell.
      const marks = index === 0 ? 0 : (/^[ \t>]*/.exec(line)?.[0].length ?? 0);
      if (index > 0) lines.push([]);
      if (line.length > marks) lines.at(-1)?.push(text(line.slice(marks), at + marks));
      at += line.length + 1;
    }
  }
  return lines;
}

/** The alignment of each column; undefined if this is no delimiter row. */
function delimitersIn(line: Line, body: string): AlignType[] | undefined {
  if (line.length === 0 || line.some(({ type }) => type !== 'text')) return undefined;
  const source = line
    .map((piece) => sourceOf(piece as Text, body))
    .join('')
    .trim();
  if (!source.includes('|') || !DELIMITERS.test(source)) return undefined;
  return source
    .replaceAll(/^\||\|$/g, '')
    .split('|')
    .map((cell) => {
      const dashes = cell.trim();
      if (dashes.endsWith(':')) return dashes.startsWith(':') ? 'center' : 'right';
      return dashes.startsWith(':') ? 'left' : null;
    });
}

function cellsOf(line: Line, body: string): TableCell[] {
  const cells: PhrasingContent[][] = [[]];
  for (const piece of line) {
    if (piece.type !== 'text') {
      cells.at(-1)?.push(piece);
      continue;
    }
    let at = piece.position?.start.offset ?? 0;
    for (const [index, part] of splitAtPipes(sourceOf(piece, body)).entries()) {
      if (index > 0) cells.push([]);
      if (part !== '') cells.at(-1)?.push(text(part, at));
      at += part.length + 1;
    }
  }
  const isBlank = (cell: PhrasingContent[] | undefined) =>
    cell?.every((piece) => piece.type === 'text' && piece.value.trim() === '') ?? true;
  if (cells.length > 1 && isBlank(cells[0])) cells.shift();
  if (cells.length > 1 && isBlank(cells.at(-1))) cells.pop();
  return cells.map((children) => ({ type: 'tableCell', children: trimmed(children) }));
}

function sourceOf({ position }: Text, body: string): string {
  return body.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

function splitAtPipes(source: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '|') {
      parts.push(source.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, source.slice(from)];
}

function trimmed(children: readonly PhrasingContent[]): PhrasingContent[] {
  return children
    .map((piece, index): PhrasingContent => {
      if (piece.type !== 'text') return piece;
      const left = index === 0 ? piece.value.trimStart() : piece.value;
      return { ...piece, value: index === children.length - 1 ? left.trimEnd() : left };
    })
    .filter((piece) => piece.type !== 'text' || piece.value !== '');
}

/** A text node with its offsets. Callers of this tree need no lines and columns. */
function text(source: string, at: number): Text {
  const point = (offset: number) => ({ line: 1, column: 1, offset });
  return { type: 'text', value: decoded(source), position: { start: point(at), end: point(at + source.length) } };
}

/** Text without escapes and character references. */
function decoded(source: string): string {
  return source.replaceAll(ESCAPE, (whole, escaped, hex, decimal, name) => {
    if (escaped !== undefined) return escaped;
    if (name !== undefined) return decodeNamedCharacterReference(name) || whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
  });
}
