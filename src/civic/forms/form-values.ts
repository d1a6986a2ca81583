import type { InputIssue } from '../../contract/operation.ts';
import { type FormField, isCategorical, isListed } from './form-fields.ts';

export type FieldMap = ReadonlyMap<string, FormField>;
export type Values = Readonly<Record<string, unknown>>;

/** Names that a sent form has beside its fields. */
const HIDDEN_INPUTS: ReadonlySet<string> = new Set(['version', 'alpha_consent_bundle']);

/** Faults of answers that an agent proposes: only those of closed lists may be there. */
export function preSelectionIssues(values: Values, fields: FieldMap): InputIssue[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name);
    const issue = (keyword: string, message: string) => [
      { pointer: pointerTo('pre_selected', name), keyword, message },
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
    return [{ pointer: pointerTo(parent, name), keyword: 'sentinel', message }];
  });
}

/** Faults of a filled form. What is missing is no fault: a form is filled step by step. */
export function valueIssues(values: Values, fields: FieldMap): InputIssue[] {
  const issues = sentinelIssues('values', values, fields);
  for (const [name, value] of Object.entries(values)) {
    if (holdsSentinel(value) || HIDDEN_INPUTS.has(name)) continue;
    const field = fields.get(name) ?? rowListOf(name, fields);
    const pointer = pointerTo('values', name);
    if (!field) issues.push({ pointer, keyword: 'additionalProperties', message: 'is not a field of this form' });
    else if (isCategorical(field) && value !== '' && !isListed(field, value)) {
      issues.push({ pointer, keyword: 'enum', message: 'is not one of the choices of this field' });
    } else if (typeof value === 'object' && field.type !== 'row_list' && field.type !== 'multi_select') {
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

/** `residence.0.notes`: the fields of rows, as an HTML form sends them. */
function rowListOf(name: string, fields: FieldMap): FormField | undefined {
  const match = /^([a-z][a-z0-9_]*)\.(?:__mode|\d{1,3}\.(?:card_type|start_month|end_month|current|notes))$/.exec(name);
  const field = fields.get(match?.[1] ?? '');
  return field?.type === 'row_list' ? field : undefined;
}

function pointerTo(parent: string, name: string): string {
  return `/${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
