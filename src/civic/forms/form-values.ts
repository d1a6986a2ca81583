import { toPointer } from '../../contract/input-issues.ts';
import type { InputIssue } from '../../contract/operation.ts';
import { codePoints } from '../code-points.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { type FormField, isCategorical, isListed } from './form-fields.ts';

export type FieldMap = ReadonlyMap<string, FormField>;
export type Values = Readonly<Record<string, unknown>>;

/** Names that a sent form has beside its fields. */
const HIDDEN_INPUTS: ReadonlySet<string> = new Set(['version', 'alpha_consent_bundle']);

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** Faults of answers that an agent proposes: only those of closed lists may be there. */
export function preSelectionIssues(values: Values, fields: FieldMap): InputIssue[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name);
    const issue = (keyword: string, message: string) => [
      { pointer: toPointer(['pre_selected', name]), keyword, message },
    ];
    if (!field || !isCategorical(field))
      return issue('categorical', 'only fields with a closed list can be pre-selected');
    return isListed(field, value) ? [] : issue('enum', 'is not one of the choices of this field');
  });
}

/** Faults of markers for answers that follow later: they may stand only where a field declares that way of capture. */
export function sentinelIssues(parent: string, values: Values, fields: FieldMap): InputIssue[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (!holdsSentinel(value) || isPending(value, fields.get(name))) return [];
    const message = 'this field takes no such marker';
    return [{ pointer: toPointer([parent, name]), keyword: 'sentinel', message }];
  });
}

/**
 * Faults of what a filled form lacks. The questions about the person are asked of it where it is the form of a first contact:
 * one without a procedure, or one with the consent.
 */
export function missingIssues(values: Values, fields: FieldMap): InputIssue[] {
  const hasProcedure = [...fields.values()].some(({ section }) => section === 2);
  const asksPerson = !hasProcedure || Object.hasOwn(values, 'alpha_consent_bundle');
  return [...fields.values()]
    .filter(({ required, section }) => required && (section === 2 || asksPerson))
    .filter((field) => !isAnswered(values, field))
    .map(({ name }) => ({ pointer: toPointer(['values', name]), keyword: 'required', message: 'is required' }));
}

function isAnswered(values: Values, { name, type }: FormField): boolean {
  const value = values[name];
  if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '') return true;
  if (type !== 'row_list') return false;
  // As an HTML form sends it: another way of capture, or a cell of some row.
  return Object.entries(values).some(([key, cell]) => {
    if (!key.startsWith(`${name}.`) || cell === '' || cell === null) return false;
    return key !== `${name}.__mode` || cell !== 'inline';
  });
}

/** Faults of the values that a form has. */
export function valueIssues(values: Values, fields: FieldMap): InputIssue[] {
  const issues = sentinelIssues('values', values, fields);
  for (const [name, value] of Object.entries(values)) {
    if (holdsSentinel(value) || HIDDEN_INPUTS.has(name)) continue;
    const field = fields.get(name) ?? rowListOf(name, fields);
    const pointer = toPointer(['values', name]);
    if (!field) issues.push({ pointer, keyword: 'additionalProperties', message: 'is not a field of this form' });
    else if (isCategorical(field) && value !== '' && !isListed(field, value)) {
      issues.push({ pointer, keyword: 'enum', message: 'is not one of the choices of this field' });
    } else if (field.type === 'row_list') {
      issues.push(...(fields.has(name) ? rowIssues(pointer, value, field) : cellIssues(pointer, name, value, field)));
    } else if (typeof value === 'object' && field.type !== 'multi_select') {
      issues.push({ pointer, keyword: 'type', message: 'is not a single value' });
    }
  }
  return issues;
}

/** Fields whose answer follows later. */
export function pendingFields(values: Values, fields: FieldMap): string[] {
  return Object.entries(values)
    .filter(([name, value]) => isPending(value, fields.get(name)))
    .map(([name]) => name);
}

function isPending(value: unknown, field: FormField | undefined): boolean {
  if (field?.type !== 'row_list' || typeof value !== 'object' || value === null) return false;
  const { __mode, __status, ...others } = value as Record<string, unknown>;
  if (__status !== 'pending' || Object.keys(others).length > 0) return false;
  return typeof __mode === 'string' && field.captureModes.includes(__mode);
}

function holdsSentinel(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__mode') || Object.hasOwn(value, '__status')) return true;
  return Object.values(value).some(holdsSentinel);
}

/** Faults of rows that were filled in at once. */
function rowIssues(pointer: string, rows: unknown, field: FormField): InputIssue[] {
  if (!Array.isArray(rows)) return [{ pointer, keyword: 'type', message: 'is not a list of rows' }];
  return rows.flatMap((row: unknown, index): InputIssue[] => {
    const at = `${pointer}/${index}`;
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      return [{ pointer: at, keyword: 'type', message: 'is not a row' }];
    }
    return Object.entries(row).flatMap(([cell, value]) => cellIssues(at + toPointer([cell]), cell, value, field));
  });
}

/** Faults of one cell of a row, by the last part of its name; what is empty is not filled in yet. */
function cellIssues(pointer: string, name: string, value: unknown, field: FormField): InputIssue[] {
  const issue = (keyword: string, message: string) => [{ pointer, keyword, message }];
  if (value === '' || value === null) return [];
  switch (name.slice(name.lastIndexOf('.') + 1)) {
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
    case '__mode':
      return typeof value === 'object' ? issue('type', 'is not a single value') : [];
    default:
      return issue('additionalProperties', 'is not a part of a row');
  }
}

/** `residence.0.notes`: the fields of rows, as an HTML form sends them. */
function rowListOf(name: string, fields: FieldMap): FormField | undefined {
  const match = /^([a-z][a-z0-9_]*)\.(?:__mode|\d{1,3}\.(?:card_type|start_month|end_month|current|notes))$/.exec(name);
  const field = fields.get(match?.[1] ?? '');
  return field?.type === 'row_list' ? field : undefined;
}
