import { toPointer } from '../../contract/input-issues.ts';
import type { InputIssue } from '../../contract/operation.ts';
import { type FormField, isCategorical, isListed } from './form-fields.ts';
import { capturedBy, controlRows, MODE, modeIssues, rowFaults, rowIssues, rowListOf } from './form-rows.ts';

export type FieldMap = ReadonlyMap<string, FormField>;
export type Values = Readonly<Record<string, unknown>>;

/** Hidden inputs of a submitted form. */
const HIDDEN_INPUTS: ReadonlySet<string> = new Set(['version', 'alpha_consent_bundle']);

/** Faults of answers that an agent proposes: only closed lists are allowed. */
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

/** Faults of markers for later answers: allowed only if the field declares that way of capture. */
export function sentinelIssues(parent: string, values: Values, fields: FieldMap): InputIssue[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (!holdsSentinel(value) || isPending(value, fields.get(name))) return [];
    const message = 'this field takes no such marker';
    return [{ pointer: toPointer([parent, name]), keyword: 'sentinel', message }];
  });
}

/**
 * Missing answers of a filled form. The questions about the person are required on first contact: a form without a procedure, or with the
 * consent.
 */
export function missingIssues(values: Values, fields: FieldMap): InputIssue[] {
  const hasProcedure = [...fields.values()].some(({ section }) => section === 2);
  const asksPerson = !hasProcedure || Object.hasOwn(values, 'alpha_consent_bundle');
  return [...fields.values()]
    .filter(({ required, section }) => required && (section === 2 || asksPerson))
    .filter((field) => !isAnswered(values, field))
    .map(({ name }) => ({ pointer: toPointer(['values', name]), keyword: 'required', message: 'is required' }));
}

function isAnswered(values: Values, field: FormField): boolean {
  const value = values[field.name];
  if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '') return true;
  return (
    field.type === 'row_list' && (capturedBy(values, field) !== undefined || controlRows(values, field).length > 0)
  );
}

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
      if (fields.has(name)) issues.push(...rowIssues(pointer, value, field));
      else if (name.endsWith(MODE)) issues.push(...modeIssues(pointer, value, field));
    } else if (typeof value === 'object' && field.type !== 'multi_select') {
      issues.push({ pointer, keyword: 'type', message: 'is not a single value' });
    }
  }
  for (const field of fields.values()) {
    if (field.type === 'row_list') issues.push(...controlRows(values, field).flatMap((row) => rowFaults(row, field)));
  }
  return issues;
}

/** Fields whose answer follows later. */
export function pendingFields(values: Values, fields: FieldMap): string[] {
  return [...fields.values()]
    .filter((field) => isPending(values[field.name], field) || capturedBy(values, field) !== undefined)
    .map(({ name }) => name);
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
