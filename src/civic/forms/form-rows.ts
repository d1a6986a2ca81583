import { toPointer } from '../../contract/input-issues.ts';
import type { InputIssue } from '../../contract/operation.ts';
import { codePoints } from '../code-points.ts';
import { CIVIC_LIMITS } from '../config.ts';
import type { FormField } from './form-fields.ts';

type Values = Readonly<Record<string, unknown>>;

/** A row, with pointers to its cells in the request. */
interface Row {
  readonly cells: Values;
  pointer(cell: string): string;
}

/** Name suffix of the control that says how a list is provided. */
export const MODE = '.__mode';
const INLINE = 'inline';
const CONTROL = /^([a-z][a-z0-9_]*)\.(?:__mode|(\d{1,3})\.(card_type|start_month|end_month|current|notes))$/;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** `residence.0.notes`, `residence.__mode`: the list that an HTML control belongs to. */
export function rowListOf(name: string, fields: ReadonlyMap<string, FormField>): FormField | undefined {
  const field = fields.get(CONTROL.exec(name)?.[1] ?? '');
  return field?.type === 'row_list' ? field : undefined;
}

/** How the answer follows later, according to the form's own control; undefined: it is in the rows. */
export function capturedBy(values: Values, { name, captureModes }: FormField): string | undefined {
  const mode = values[`${name}${MODE}`];
  return captureModes.find((one) => one === mode);
}

export function modeIssues(pointer: string, mode: unknown, { captureModes }: FormField): InputIssue[] {
  const modes = [INLINE, ...captureModes];
  if (isEmpty(mode) || modes.includes(mode as string)) return [];
  return [{ pointer, keyword: 'enum', message: `is not one of ${modes.join(', ')}` }];
}

/** The rows that the HTML controls sent; none if the answer follows later. */
export function controlRows(values: Values, field: FormField): Row[] {
  if (capturedBy(values, field) !== undefined) return [];
  const rows = new Map<string, Record<string, unknown>>();
  for (const [name, value] of Object.entries(values)) {
    const [, list, index, cell] = CONTROL.exec(name) ?? [];
    if (list !== field.name || index === undefined || cell === undefined || isEmpty(value)) continue;
    const cells = rows.get(index) ?? {};
    cells[cell] = value;
    rows.set(index, cells);
  }
  return [...rows].map(([index, cells]) => ({
    cells,
    pointer: (cell) => toPointer(['values', `${field.name}.${index}.${cell}`]),
  }));
}

/** Faults of rows sent as a list. */
export function rowIssues(pointer: string, rows: unknown, field: FormField): InputIssue[] {
  if (!Array.isArray(rows)) return [{ pointer, keyword: 'type', message: 'is not a list of rows' }];
  return rows.flatMap((row: unknown, index): InputIssue[] => {
    const at = `${pointer}/${index}`;
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      return [{ pointer: at, keyword: 'type', message: 'is not a row' }];
    }
    return rowFaults({ cells: row as Values, pointer: (cell) => at + toPointer([cell]) }, field);
  });
}

/** Faults of one row: of its cells, then of what is missing for a period. */
export function rowFaults({ cells, pointer }: Row, field: FormField): InputIssue[] {
  const issues = Object.entries(cells).flatMap(([cell, value]) => cellIssues(pointer(cell), cell, value, field));
  if (issues.length > 0) return issues;
  const { start_month, end_month } = cells;
  const isCurrent = !isEmpty(cells.current) && String(cells.current) !== 'false';
  const lacking = [
    ...(isEmpty(cells.card_type) && field.cardTypes.length > 0 ? ['card_type'] : []),
    ...(isEmpty(start_month) ? ['start_month'] : []),
    ...(isEmpty(end_month) && !isCurrent ? ['end_month'] : []),
  ];
  const missing = lacking.map((cell) => ({ pointer: pointer(cell), keyword: 'required', message: 'is required' }));
  const isBackward = !isEmpty(start_month) && !isEmpty(end_month) && String(end_month) < String(start_month);
  const order = { pointer: pointer('end_month'), keyword: 'minimum', message: 'is before the start' };
  return isBackward ? [...missing, order] : missing;
}

/** Faults of one cell; an empty cell is not filled in yet. */
function cellIssues(pointer: string, cell: string, value: unknown, field: FormField): InputIssue[] {
  const issue = (keyword: string, message: string) => [{ pointer, keyword, message }];
  if (isEmpty(value)) return [];
  switch (cell) {
    case 'card_type':
      return field.cardTypes.length === 0 || field.cardTypes.includes(value as string)
        ? []
        : issue('enum', 'is not one of the choices of this field');
    case 'start_month':
    case 'end_month':
      return typeof value === 'string' && MONTH.test(value) ? [] : issue('pattern', 'is not a month like 2026-11');
    case 'notes':
      if (typeof value !== 'string') return issue('type', 'is not a text');
      return codePoints(value) <= CIVIC_LIMITS.text.notes ? [] : issue('maxLength', 'is too long');
    case 'current':
      return typeof value === 'object' ? issue('type', 'is not a single value') : [];
    default:
      return issue('additionalProperties', 'is not a part of a row');
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
