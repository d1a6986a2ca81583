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

/** Wraps a paragraph at spaces, with later lines indented. A command in backquotes is not broken. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
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

/** Tab-separated lines as columns below their headings, with the last one wrapped; lines without tabs stay unchanged. */
export function inColumns(
  text: string,
  headings: readonly string[],
  width: number,
): { readonly heading: string; readonly body: string } {
  const lines = text.split('\n');
  const rows = lines.filter((line) => line.includes('\t')).map((line) => line.split('\t'));
  const count = Math.max(headings.length, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(headings[column]?.length ?? 0, ...rows.map((row) => Math.min(COLUMN_CHARS_MAX, row[column]?.length ?? 0))),
  );
  const padded = (cells: readonly string[]) =>
    cells.map((cell, column) => `${cell.padEnd(widths[column] ?? 0)}  `).join('');
  const laidOut = (cells: readonly string[]) => {
    const before = padded(cells.slice(0, -1));
    const last = cells.at(-1) ?? '';
    if (before.length + last.length <= width || width - before.length < LAST_COLUMN_MIN)
      return `${before}${last}`.trimEnd();
    return `${before}${wrapped(last, width - before.length, '').replaceAll('\n', `\n${' '.repeat(before.length)}`)}`;
  };
  return {
    heading: laidOut(headings),
    body: lines.map((line) => (line.includes('\t') ? laidOut(line.split('\t')) : line)).join('\n'),
  };
}
