import { count } from '../data/format.ts';
import { t } from '../texts.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One argument, as a form asks for it. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'json';
  readonly description: string;
  readonly isRequired: boolean;
  /** Facts of its schema: type, range, format, default. */
  readonly facts: readonly string[];
  /** Its default as JSON or plain text, shown while the field is empty. */
  readonly hint: string;
  /** For a choice: each possible value as JSON, so that a number stays a number. */
  readonly choices: readonly string[];
  readonly schema: Schema;
}

/** The typed values, by name; a list has one text for each entry. A `Map`, because the server chooses the names. */
export type Values = ReadonlyMap<string, string | readonly string[]>;

export interface Read {
  readonly given: Readonly<Record<string, unknown>>;
  /** Errors by name of the field. */
  readonly errors: ReadonlyMap<string, string>;
}

export function fieldsOf(schema: unknown): Field[] {
  const whole = isObject(schema) ? resolved(schema, schema) : {};
  if (!isObject(schema) || !isObject(whole.properties)) return [];
  const required = Array.isArray(whole.required) ? whole.required : [];
  return Object.entries(whole.properties).map(([name, property]) => {
    const own = plainSchema(property, schema);
    const kind = kindOf(own);
    const { description } = isObject(property) && 'description' in property ? property : own;
    return {
      name,
      kind,
      description: typeof description === 'string' ? description : '',
      isRequired: required.includes(name),
      facts: factsOf(own, kind),
      // A default with other characters is shown only where hidden characters are marked.
      hint: 'default' in own ? (/^[\x20-\x7e]{0,80}$/.exec(plainText(own.default))?.[0] ?? '') : '',
      choices: kind === 'choice' ? (own.enum as unknown[]).map((one) => JSON.stringify(one)) : [],
      schema: own,
    };
  });
}

const COMPOSED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', '$dynamicRef'];

/** Whether a form cannot show the schema: then the person writes the arguments as JSON. */
export function isBeyondForm(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const whole = resolved(schema, schema);
  if (isObject(whole.properties) && Object.keys(whole.properties).length > 0) return false;
  const more = whole.additionalProperties;
  return COMPOSED.some((name) => Object.hasOwn(whole, name)) || more === true || isObject(more);
}

/** References are followed this far. */
const STEPS_MAX = 16;

/** The target of local references, merged with the members beside them. An unresolved or circular reference stays. */
function resolved(schema: Schema, root: Schema): Schema {
  let { $ref, ...own } = schema;
  for (let steps = 0; typeof $ref === 'string'; steps += 1) {
    const target = steps < STEPS_MAX ? partAt(root, $ref) : undefined;
    if (!isObject(target)) return { ...own, $ref };
    const { $ref: next, ...found } = target;
    own = { ...found, ...own };
    $ref = next;
  }
  return own;
}

/** The target of a reference within the document. */
function partAt(root: Schema, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let part: unknown = root;
  for (const token of ref.slice(2).split('/')) {
    const name = unescaped(token);
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    part = part[name as keyof object];
  }
  return part;
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return token;
  }
}

/** Follows references, and takes the other side of "or null". */
function plainSchema(property: unknown, root: Schema): Schema {
  const own = isObject(property) ? resolved(property, root) : {};
  const sides = own.anyOf ?? own.oneOf;
  if (Array.isArray(sides)) {
    const others = sides.filter((side) => !isObject(side) || side.type !== 'null');
    if (others.length === 1 && isObject(others[0]))
      return withItems({ ...own, ...resolved(others[0], root), anyOf: undefined, oneOf: undefined }, root);
  }
  if (Array.isArray(own.type)) {
    const types = own.type.filter((type) => type !== 'null');
    if (types.length === 1) return withItems({ ...own, type: types[0] }, root);
  }
  return withItems(own, root);
}

function withItems(schema: Schema, root: Schema): Schema {
  return isObject(schema.items) ? { ...schema, items: resolved(schema.items, root) } : schema;
}

const SCALARS: ReadonlyMap<unknown, Field['kind']> = new Map([
  ['string', 'text'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
]);

function kindOf(schema: Schema): Field['kind'] {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return 'choice';
  if (schema.type === 'array' && isObject(schema.items) && itemKind(schema) !== undefined) return 'list';
  return SCALARS.get(schema.type) ?? 'json';
}

/** Lists of texts and numbers have a row for each entry; any other array is given as JSON. */
function itemKind({ items }: Schema): 'text' | 'number' | undefined {
  if (!isObject(items) || items.enum !== undefined) return undefined;
  const kind = SCALARS.get(items.type);
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

/** Reads the typed values. Empty ones are left out; unreadable or missing ones are reported. */
export function readFields(fields: readonly Field[], values: Values): Read {
  const given: [name: string, value: unknown][] = [];
  const errors = new Map<string, string>();
  for (const field of fields) {
    const typed = values.get(field.name) ?? '';
    try {
      const value = typeof typed === 'string' ? readText(field, typed) : readList(field, typed);
      if (value !== undefined) given.push([field.name, value]);
      else if (field.isRequired) errors.set(field.name, t.form.missing);
    } catch (thrown) {
      errors.set(field.name, thrown instanceof FieldError ? thrown.message : t.form.notJson);
    }
  }
  // Unlike an assignment, this creates a member for every name, also `__proto__`.
  return { given: Object.fromEntries(given), errors };
}

class FieldError extends Error {}

function readText({ kind, schema }: Field, typed: string): unknown {
  if (kind === 'text') return typed === '' ? undefined : typed;
  if (typed.trim() === '') return undefined;
  if (kind === 'number') return readNumber(schema, typed);
  const value: unknown = JSON.parse(typed);
  const inexact = firstInexact(typed);
  if (inexact !== undefined) throw new FieldError(t.form.inexact(inexact, String(Number(inexact))));
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
  const text = typed.trim();
  const value = Number(text);
  if (!DECIMAL.test(text)) throw new FieldError(t.form.notNumber);
  if (!isExact(text)) throw new FieldError(t.form.inexact(text, String(value)));
  if (type === 'integer' && !Number.isInteger(value)) throw new FieldError(t.form.notWhole);
  if (typeof minimum === 'number' && value < minimum) throw new FieldError(t.form.tooSmall(count(minimum)));
  if (typeof maximum === 'number' && value > maximum) throw new FieldError(t.form.tooLarge(count(maximum)));
  return value;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,9})?$/i;

/** Whether a number keeps all of its digits: the gateway reads numbers as doubles, with about 16 digits. */
function isExact(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && scientific(text) === scientific(String(value));
}

/** Digits without zeros at the ends, and the power of ten of the last one. */
function scientific(text: string): string {
  const [, sign = '', whole = '', part = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - part.length + digits.length - kept.length}`;
}

/** The first number of a JSON text that would be sent with other digits. */
function firstInexact(json: string): string | undefined {
  const numbers = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.find((number) => !isExact(number));
}

/** Parses a JSON object; returns a message if it is not one. */
export function readObject(text: string): Schema | string {
  try {
    const value: unknown = JSON.parse(text);
    const inexact = firstInexact(text);
    if (inexact !== undefined) return t.form.inexact(inexact, String(Number(inexact)));
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
