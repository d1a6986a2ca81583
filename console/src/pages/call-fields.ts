import { count } from '../data/format.ts';
import { t } from '../texts.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One argument, as a form asks for it. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'json';
  readonly description: string;
  readonly isRequired: boolean;
  /** What its schema says of it: type, range, format, default. */
  readonly facts: readonly string[];
  /** Its default as JSON or plain text, to be seen while nothing is given. */
  readonly hint: string;
  /** Of a choice: each possible value as JSON, so that a number stays one. */
  readonly choices: readonly string[];
  readonly schema: Schema;
}

/** What is typed, by name; a list has one text for each entry. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

export interface Read {
  readonly given: Readonly<Record<string, unknown>>;
  /** What is wrong, by name of the field. */
  readonly errors: ReadonlyMap<string, string>;
}

export function fieldsOf(schema: unknown): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const own = plainSchema(property, schema);
    const kind = kindOf(own);
    return {
      name,
      kind,
      description: isObject(property) && typeof property.description === 'string' ? property.description : '',
      isRequired: required.includes(name),
      facts: factsOf(own, kind),
      // What is not plainly seen stands only where it is marked.
      hint: 'default' in own ? (/^[\x20-\x7e]{0,80}$/.exec(plainText(own.default))?.[0] ?? '') : '',
      choices: kind === 'choice' ? (own.enum as unknown[]).map((one) => JSON.stringify(one)) : [],
      schema: own,
    };
  });
}

/** Follows one reference, and takes the other side of "or null". */
function plainSchema(property: unknown, root: Schema): Schema {
  const own = isObject(property) ? property : {};
  const ref = typeof own.$ref === 'string' ? /^#\/(\$defs|definitions)\/([^/]+)$/.exec(own.$ref) : null;
  const defs = ref && root[ref[1] as string];
  if (ref && isObject(defs) && isObject(defs[ref[2] as string])) return defs[ref[2] as string] as Schema;
  const sides = own.anyOf ?? own.oneOf;
  if (Array.isArray(sides)) {
    const others = sides.filter((side) => !isObject(side) || side.type !== 'null');
    if (others.length === 1 && isObject(others[0])) return { ...own, ...others[0], anyOf: undefined, oneOf: undefined };
  }
  if (Array.isArray(own.type)) {
    const types = own.type.filter((type) => type !== 'null');
    if (types.length === 1) return { ...own, type: types[0] };
  }
  return own;
}

const SCALARS: Readonly<Record<string, Field['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

function kindOf(schema: Schema): Field['kind'] {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return 'choice';
  if (schema.type === 'array' && isObject(schema.items) && itemKind(schema) !== undefined) return 'list';
  return SCALARS[String(schema.type)] ?? 'json';
}

/** Lists of texts and numbers have a row for each; what else an array holds is given as JSON. */
function itemKind({ items }: Schema): 'text' | 'number' | undefined {
  if (!isObject(items) || items.enum !== undefined) return undefined;
  const kind = SCALARS[String(items.type)];
  return kind === 'text' || kind === 'number' ? kind : undefined;
}

function factsOf(schema: Schema, kind: Field['kind']): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema;
  const lengths = t.form.range(minLength, maxLength);
  const items = t.form.range(minItems, maxItems);
  return [
    typeWord(schema, kind),
    t.form.range(minimum ?? schema.exclusiveMinimum, maximum ?? schema.exclusiveMaximum),
    lengths === '' ? '' : t.form.characters(lengths),
    items === '' ? '' : t.form.entries(items),
    typeof format === 'string' ? t.form.format(format) : '',
    typeof pattern === 'string' ? t.form.pattern(pattern) : '',
    'default' in schema ? t.form.default(plainText(schema.default)) : '',
  ].filter((fact) => fact !== '');
}

function typeWord(schema: Schema, kind: Field['kind']): string {
  if (kind === 'choice') return t.form.types.choice;
  if (kind === 'list') {
    const word = t.form.types[String((schema.items as Schema).type) as keyof typeof t.form.types];
    return t.form.listOf(word);
  }
  if (kind !== 'json') return t.form.types[String(schema.type) as keyof typeof t.form.types];
  if (schema.type === 'array') return t.form.jsonArray;
  return schema.type === 'object' ? t.form.jsonObject : t.form.json;
}

/** Reads what was typed. What is empty is left out; what cannot be read, or is missing, is named. */
export function readFields(fields: readonly Field[], values: Values): Read {
  const given: Record<string, unknown> = {};
  const errors = new Map<string, string>();
  for (const field of fields) {
    const typed = values[field.name] ?? '';
    try {
      const value = typeof typed === 'string' ? readText(field, typed) : readList(field, typed);
      if (value !== undefined) given[field.name] = value;
      else if (field.isRequired) errors.set(field.name, t.form.missing);
    } catch (thrown) {
      errors.set(field.name, thrown instanceof FieldError ? thrown.message : t.form.notJson);
    }
  }
  return { given, errors };
}

class FieldError extends Error {}

function readText({ kind, schema }: Field, typed: string): unknown {
  if (kind === 'text') return typed === '' ? undefined : typed;
  if (typed.trim() === '') return undefined;
  if (kind === 'number') return readNumber(schema, typed);
  const value: unknown = JSON.parse(typed);
  if (schema.type === 'object' && !isObject(value)) throw new FieldError(t.form.notObject);
  if (schema.type === 'array' && !Array.isArray(value)) throw new FieldError(t.form.notArray);
  return value;
}

function readList({ schema, isRequired }: Field, typed: readonly string[]): unknown {
  const rows = typed.filter((row) => row.trim() !== '');
  if (rows.length === 0 && !isRequired) return undefined;
  return itemKind(schema) === 'number' ? rows.map((row) => readNumber(schema.items as Schema, row)) : rows;
}

function readNumber({ type, minimum, maximum }: Schema, typed: string): number {
  const value = Number(typed);
  if (typed.trim() === '' || !Number.isFinite(value)) throw new FieldError(t.form.notNumber);
  if (type === 'integer' && !Number.isInteger(value)) throw new FieldError(t.form.notWhole);
  if (typeof minimum === 'number' && value < minimum) throw new FieldError(t.form.tooSmall(count(minimum)));
  if (typeof maximum === 'number' && value > maximum) throw new FieldError(t.form.tooLarge(count(maximum)));
  return value;
}

/** A JSON object; a sentence where it is none. */
export function readObject(text: string): Schema | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : t.tools.badArguments;
  } catch (thrown) {
    return `${t.tools.badArguments} ${thrown instanceof Error ? thrown.message : ''}`;
  }
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
