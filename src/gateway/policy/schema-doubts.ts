import { SCHEMA_FORMATS } from './schema-formats.ts';

/** A part of a schema that would check nothing: its position, and why. */
export interface SchemaDoubt {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Keywords with a schema as value. */
const ONE = [
  ...['additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
];
/** Keywords with a list of schemas as value. */
const LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
/** Keywords with named schemas as value. */
const NAMED = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties'];
const OTHERS = [
  ...['$anchor', '$comment', '$dynamicAnchor', '$dynamicRef', '$id', '$ref', '$schema', '$vocabulary'],
  ...['const', 'dependentRequired', 'enum', 'exclusiveMaximum', 'exclusiveMinimum', 'format', 'maxContains'],
  ...['maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength', 'minProperties'],
  ...['minimum', 'multipleOf', 'pattern', 'required', 'type', 'uniqueItems'],
  ...['contentEncoding', 'contentMediaType', 'default', 'deprecated', 'description', 'examples', 'readOnly'],
  ...['title', 'writeOnly'],
];
const KEYWORDS: ReadonlySet<string> = new Set([...ONE, ...LIST, ...NAMED, ...OTHERS]);

/** Finds misspelt keywords and unsupported formats: a rule that is not enforced must not look like one. */
export function schemaDoubts(schema: unknown, path: readonly (string | number)[] = []): SchemaDoubt[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = [...path, keyword];
    if (!KEYWORDS.has(keyword)) return keyword.startsWith('x-') ? [] : [{ path: at, message: unknownKeyword(keyword) }];
    if (keyword === 'format') return formatDoubts(value, at);
    if (LIST.includes(keyword) && Array.isArray(value))
      return value.flatMap((one, index) => schemaDoubts(one, [...at, index]));
    if (ONE.includes(keyword)) return schemaDoubts(value, at);
    if (!NAMED.includes(keyword) || typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, one]) => schemaDoubts(one, [...at, name]));
  });
}

function unknownKeyword(keyword: string): string {
  return `${keyword} is no keyword of JSON Schema 2020-12: it would check nothing`;
}

function formatDoubts(value: unknown, path: readonly (string | number)[]): SchemaDoubt[] {
  if (typeof value !== 'string' || Object.hasOwn(SCHEMA_FORMATS, value)) return [];
  const known = Object.keys(SCHEMA_FORMATS).join(', ');
  return [{ path, message: `the format ${value} is not checked here; use pattern, or one of ${known}` }];
}
