/** Minimum and maximum width of text for a person. */
const WIDTH_MIN = 40;
const WIDTH_MAX = 100;
/** Maximum padding of all columns but the last: one long name must not push the others off the screen. */
const COLUMN_CHARS_MAX = 40;

const COLOURS = { red: 31, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;
export type Colour = keyof typeof COLOURS;

/** Text in a colour of the terminal. */
export function coloured(colour: Colour, text: string): string {
  return `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;
}

/** The text width for a terminal with this many columns. */
export function textWidth(columns: number | undefined): number {
  return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, columns ?? 80));
}

/** The width for a table: the whole terminal, because a row is not read as a paragraph is. */
export function tableWidth(columns: number | undefined): number {
  return Math.max(WIDTH_MIN, columns ?? 80);
}

/** Wraps a paragraph at spaces, with later lines indented. A command in backquotes is not broken if it fits on a line. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  const phrases = text.match(/(?:`[^`]*`|\S)+/g) ?? [];
  for (const word of phrases.flatMap((phrase) => (phrase.length > width ? phrase.split(/\s+/) : [phrase]))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line.trim() !== '' && longer.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}

/** Minimum width of a wrapped last column: below it each line would be a single word. */
const LAST_COLUMN_MIN = 30;

/** Indent of columns that continue on a line of their own. */
const CONTINUED = 4;

/**
 * Tab-separated lines as columns below their headings. Columns that do not fit beside the others continue on the next line, in every
 * row at the same place. Lines without tabs stay unchanged.
 */
export function inColumns(
  text: string,
  headings: readonly string[],
  width: number,
): { readonly heading: string; readonly body: string } {
  const lines = text.split('\n');
  const rows = lines.filter((line) => line.includes('\t')).map((line) => line.split('\t'));
  const places = columnPlaces([headings, ...rows], width);
  const laidOut = (cells: readonly string[]) => rowText(cells, places, width);
  return {
    heading: laidOut(headings),
    body: lines.map((line) => (line.includes('\t') ? laidOut(line.split('\t')) : line)).join('\n'),
  };
}

interface ColumnPlace {
  /** Which line of a row the column is on. */
  readonly line: number;
  readonly start: number;
}

function columnPlaces(rows: readonly (readonly string[])[], width: number): ColumnPlace[] {
  const longest = Array.from({ length: Math.max(...rows.map((row) => row.length)) }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isWide = longest.reduce((sum, chars) => sum + chars + 2, -2) > width;
  let line = 0;
  let end = 0;
  return longest.map((chars, column) => {
    const least = Math.min(chars, column === longest.length - 1 ? LAST_COLUMN_MIN : COLUMN_CHARS_MAX);
    const fits = column === 0 || end + least <= width;
    if (!fits) line += 1;
    const start = fits ? end : CONTINUED;
    end = start + (isWide ? least : chars) + 2;
    return { line, start };
  });
}

function rowText(cells: readonly string[], places: readonly ColumnPlace[], width: number): string {
  const lines = [''];
  let at = 0;
  for (const [column, cell] of cells.entries()) {
    if (cell === '') continue;
    const { line, start } = places[column] as ColumnPlace;
    // Foreign text is indented, so that it cannot look like a line of ours: the indent stays.
    const indent = ' '.repeat(start + cell.search(/\S|$/));
    const [first, ...more] = fitted(cell.trimStart(), width - indent.length).split('\n');
    const before = lines.pop() as string;
    // The column is on a later line, or the cell before it is longer than its column.
    const isNext = before !== '' && (line > at || before.length + 2 > start);
    lines.push(...(isNext ? [before, `${indent}${first}`] : [`${before.padEnd(indent.length)}${first}`]));
    lines.push(...more.map((part) => `${indent}${part}`));
    at = line;
  }
  return lines.join('\n');
}

function fitted(text: string, width: number): string {
  return text.length <= width ? text : wrapped(text, width, '');
}
