import { z } from 'zod';
import { BinderyError } from './errors.ts';
import { exactNumber, parseExactJson } from './exact-json.ts';

interface PropertySchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: PropertySchema;
}

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
}

const schemas = new WeakMap<z.ZodType, InputSchema>();

/** The JSON Schema (2020-12) of an operation's input, as clients see it. */
export function inputSchemaOf(input: z.ZodType): InputSchema {
  let schema = schemas.get(input);
  if (!schema) {
    const { $schema: _, ...rest } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
    schema = { type: 'object', properties: {}, required: [], ...rest } as InputSchema;
    schemas.set(input, schema);
  }
  return schema;
}

/**
 * Turns texts (a query string, the flags of a command) into the values that the schema expects.
 * A text that does not fit stays a text, so that the schema refuses it with its own message.
 */
export function coerceTexts(schema: InputSchema, texts: Readonly<Record<string, string | readonly string[]>>): object {
  const input: Record<string, unknown> = Object.create(null);
  for (const [name, text] of Object.entries(texts)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    input[name] = coerce(property, text);
  }
  return { ...input };
}

function coerce(property: PropertySchema | undefined, text: string | readonly string[]): unknown {
  if (property?.type === 'array') {
    const texts = typeof text === 'string' ? [text] : text;
    return texts.map((item) => coerce(property.items, item));
  }
  if (typeof text !== 'string') return text.length === 1 ? coerce(property, text[0] as string) : text;
  switch (property?.type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? exactNumber(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'object':
      return parseJson(text);
    default:
      return text;
  }
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (thrown) {
    if (thrown instanceof BinderyError) throw thrown;
    return text;
  }
}
