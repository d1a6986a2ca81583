import type { FormInput } from '../corpus/entries.ts';
import { adminLanguages, SECTION_ONE } from './section-one.ts';

export type FieldValue = string | number | boolean | readonly string[];

/** A question of either section, without its presentation. */
export interface FormField {
  readonly name: string;
  readonly type: FormInput['type'];
  /** Undefined: any text. */
  readonly values: readonly string[] | undefined;
  readonly captureModes: readonly string[];
  /** Allowed row types if the field is a list of rows; empty: any. */
  readonly cardTypes: readonly string[];
  readonly required: boolean;
  readonly section: 1 | 2;
}

/** All possible fields of a form, by name. A region narrows the languages of its offices. */
export function formFields(inputs: readonly FormInput[], region: string | undefined): Map<string, FormField> {
  const fields = new Map<string, FormField>();
  for (const { name, choices, required } of SECTION_ONE) {
    const listed = name === 'admin_language' ? adminLanguages(region) : choices;
    const values = listed?.map((choice) => choice.value);
    const type = values ? 'select' : 'text';
    fields.set(name, { name, type, values, captureModes: [], cardTypes: [], required, section: 1 });
  }
  for (const input of inputs) {
    const { name, type, required } = input;
    const cardTypes = input.card_type.map((choice) => choice.value);
    const values = valuesOf(input);
    fields.set(name, { name, type, values, captureModes: input.capture_modes, cardTypes, required, section: 2 });
  }
  return fields;
}

/** Whether the answer comes from a closed list, so that it identifies no person. */
export function isCategorical(field: FormField): boolean {
  return field.values !== undefined;
}

/** Whether a value is in the field's list; multi-select fields accept several. */
export function isListed(field: FormField, value: unknown): boolean {
  if (field.type === 'multi_select' && Array.isArray(value)) return value.every((item) => isOneOf(field, item));
  if (field.type === 'boolean' && typeof value === 'boolean') return true;
  return isOneOf(field, value);
}

function isOneOf(field: FormField, value: unknown): boolean {
  return typeof value === 'string' && field.values?.includes(value) === true;
}

function valuesOf({ type, options }: FormInput): string[] | undefined {
  if (type === 'boolean') return ['true', 'false'];
  return type === 'select' || type === 'multi_select' ? options.map((option) => option.value) : undefined;
}
