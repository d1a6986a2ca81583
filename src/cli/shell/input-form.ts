import { isObject, type JsonObject } from '../../contract/json.ts';

/** One field that a server asks for. */
export interface InputField {
  readonly name: string;
  /** The text before the prompt. */
  readonly label: string;
  /** Parses the line; a value of `undefined` leaves the member out. */
  parse(line: string): { readonly value: unknown } | { readonly wrong: string };
}

/** The fields of a `requestedSchema`: flat, with strings, numbers, booleans and choices. */
export function inputFields(requestedSchema: unknown): InputField[] {
  const { properties, required } = isObject(requestedSchema) ? requestedSchema : {};
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const schema = isObject(property) ? property : {};
    const isRequired = needed.includes(name);
    return { name, label: labelOf(name, schema, isRequired), parse: (line) => parseField(line, schema, isRequired) };
  });
}

function labelOf(name: string, schema: JsonObject, isRequired: boolean): string {
  const title = typeof schema.title === 'string' ? schema.title : name;
  const about = typeof schema.description === 'string' ? `: ${schema.description}` : '';
  const choices = choicesOf(schema);
  const kind = choices
    ? `${choices.map(({ value, title: of }) => (of === value ? value : `${value} = ${of}`)).join(', ')}${isMany(schema) ? '; several with commas' : ''}`
    : schema.type === 'boolean'
      ? 'y or n'
      : [schema.type, schema.format].filter((word) => typeof word === 'string').join(', ');
  const preset = schema.default === undefined ? '' : ` [${shown(schema.default)}]`;
  return `${title}${about} (${kind}${isRequired ? '' : ', may stay empty'})${preset}`;
}

function parseField(line: string, schema: JsonObject, isRequired: boolean): ReturnType<InputField['parse']> {
  const text = line.trim();
  if (text === '') {
    if (schema.default !== undefined) return { value: schema.default };
    return isRequired ? { wrong: 'it is needed' } : { value: undefined };
  }
  const choices = choicesOf(schema);
  if (choices) return parseChoice(text, choices, isMany(schema));
  if (schema.type === 'boolean') {
    if (/^(y|yes|true)$/i.test(text)) return { value: true };
    return /^(n|no|false)$/i.test(text) ? { value: false } : { wrong: 'y or n' };
  }
  if (schema.type === 'number' || schema.type === 'integer') return parseNumber(text, schema);
  return parseText(text, schema);
}

function parseNumber(text: string, { type, minimum, maximum }: JsonObject): ReturnType<InputField['parse']> {
  const value = Number(text);
  if (!Number.isFinite(value)) return { wrong: 'it must be a number' };
  if (type === 'integer' && !Number.isInteger(value)) return { wrong: 'it must be a whole number' };
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return { wrong: 'it has too many digits' };
  if (typeof minimum === 'number' && value < minimum) return { wrong: `at least ${minimum}` };
  if (typeof maximum === 'number' && value > maximum) return { wrong: `at most ${maximum}` };
  return { value };
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
};

function parseText(text: string, { format, minLength, maxLength }: JsonObject): ReturnType<InputField['parse']> {
  const { length } = [...text];
  if (typeof minLength === 'number' && length < minLength) return { wrong: `at least ${minLength} characters` };
  if (typeof maxLength === 'number' && length > maxLength) return { wrong: `at most ${maxLength} characters` };
  const fits = typeof format === 'string' ? FORMATS[format] : undefined;
  return fits && !fits(text) ? { wrong: `it is no ${format}` } : { value: text };
}

function parseChoice(text: string, choices: readonly Choice[], many: boolean): ReturnType<InputField['parse']> {
  const words = many ? text.split(',').map((word) => word.trim()) : [text];
  const chosen = words.map((word) => choices.find(({ value, title }) => value === word || title === word)?.value);
  if (chosen.includes(undefined)) return { wrong: `one of ${choices.map(({ value }) => value).join(', ')}` };
  return { value: many ? [...new Set(chosen)] : chosen[0] };
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

function isMany({ type }: JsonObject): boolean {
  return type === 'array';
}

/** The listed values of a field: plain, or each with a title. */
function choicesOf(schema: JsonObject): Choice[] | undefined {
  const source = isMany(schema) && isObject(schema.items) ? schema.items : schema;
  const names = Array.isArray(source.enumNames) ? source.enumNames : [];
  if (Array.isArray(source.enum)) {
    return source.enum.map(String).map((value, index) => ({ value, title: String(names[index] ?? value) }));
  }
  const titled = source.oneOf ?? source.anyOf;
  if (!Array.isArray(titled)) return undefined;
  return titled
    .filter(isObject)
    .map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }));
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
