import { tabLines } from '../../contract/paging.ts';
import { visibleLine } from '../../contract/visible-text.ts';

/** Maximum padding of all columns but the last: one long name must not push the others off the screen. */
const COLUMN_CHARS_MAX = 40;

/** Rows in columns for a person at a terminal, with tabs for a script. */
export function table(rows: readonly (readonly unknown[])[], terminal: boolean): string {
  if (!terminal) return tabLines(rows);
  const cells = rows.map((row) => row.map((value) => visibleLine(String(value ?? ''))));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.min(COLUMN_CHARS_MAX, Math.max(...cells.map((row) => row[column]?.length ?? 0))),
  );
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
