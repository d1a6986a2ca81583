import { isObject, type JsonObject } from '../../contract/json.ts';
import { ADAPTER_LIMITS } from './limits.ts';
import { jsonBytes, OPEN_SCHEMA } from './tool-definition.ts';

/** Keywords whose value is a schema, a list of schemas, or a map of names to schemas. */
const ONE = ['items', 'additionalProperties', 'contains', 'propertyNames', 'additionalItems'];
const MANY = ['allOf', 'anyOf', 'prefixItems', 'items'];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas'];

/** Keywords that model APIs reject, or that change meaning without references; removing them only permits more. */
const DROPPED = [
  ...['$schema', '$id', '$anchor', '$defs', 'definitions', '$comment', '$vocabulary', '$dynamicRef', '$dynamicAnchor'],
  ...['$recursiveRef', '$recursiveAnchor', 'not', 'if', 'then', 'else', 'unevaluatedProperties', 'unevaluatedItems'],
  'maxContains',
];

/** Keywords that the merged top-level object replaces. */
const OBJECT_KEYWORDS = ['type', 'properties', 'required', 'additionalProperties', 'enum', 'const'];

const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'];

/**
 * Converts a schema to the dialect that every model API accepts: no references, a type wherever it can be inferred, and an object
 * without combinators at the top. Only a hint for the model: arguments go to the server unchanged, and the server validates them.
 */
export function providerSchema(schema: JsonObject): JsonObject {
  const work = { root: schema, nodes: 0 };
  try {
    const inlined = simplify(schema, work, []);
    if (!isObject(inlined)) return OPEN_SCHEMA;
    const top = collapseTop(inlined);
    return jsonBytes(top) <= ADAPTER_LIMITS.schemaBytesMax ? top : OPEN_SCHEMA;
  } catch (thrown) {
    if (thrown instanceof TooManyNodes) return OPEN_SCHEMA;
    throw thrown;
  }
}

class TooManyNodes extends Error {}

interface Work {
  readonly root: JsonObject;
  nodes: number;
}

/** `within` holds the references that are being resolved: a recursive one is left open. */
function simplify(schema: unknown, work: Work, within: readonly string[]): unknown {
  work.nodes += 1;
  if (work.nodes > ADAPTER_LIMITS.schemaNodesMax || within.length > 64) throw new TooManyNodes();
  if (!isObject(schema)) return typeof schema === 'boolean' ? schema : {};
  if (typeof schema.$ref === 'string') return followReference(schema, schema.$ref, work, within);
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.includes(key) || key === 'oneOf') continue;
    if (NAMED.includes(key) && isObject(value)) {
      const named = Object.entries(value).map(([name, member]) => [name, simplify(member, work, within)]);
      out[key] = Object.fromEntries(named);
    } else if (MANY.includes(key) && Array.isArray(value)) {
      out[key] = value.map((member) => simplify(member, work, within));
    } else if (ONE.includes(key) && (isObject(value) || typeof value === 'boolean')) {
      out[key] = simplify(value, work, within);
    } else {
      out[key] = value;
    }
  }
  return withType(withoutOneOf(out, schema.oneOf, (member) => simplify(member, work, within)));
}

/** "Exactly one" becomes "at least one", because references that are left open may make several match. */
function withoutOneOf(out: Record<string, unknown>, oneOf: unknown, each: (member: unknown) => unknown): JsonObject {
  if (!Array.isArray(oneOf)) return out;
  const members = oneOf.map(each);
  if (out.anyOf === undefined) return { ...out, anyOf: members };
  return { ...out, allOf: [...(Array.isArray(out.allOf) ? out.allOf : []), { anyOf: members }] };
}

function followReference(schema: JsonObject, reference: string, work: Work, within: readonly string[]): unknown {
  const { $ref: _, ...beside } = schema;
  const target = within.includes(reference) ? undefined : resolvePointer(work.root, reference);
  const followed = target === undefined ? {} : simplify(target, work, [...within, reference]);
  const annotations = Object.fromEntries(Object.entries(beside).filter(([key]) => ANNOTATIONS.includes(key)));
  const constrains = Object.keys(beside).some((key) => !ANNOTATIONS.includes(key) && !DROPPED.includes(key));
  if (constrains) return { ...annotations, allOf: [followed, simplify(beside, work, within)] };
  return isObject(followed) ? { ...followed, ...annotations } : followed;
}

/** Resolves `#/$defs/name` within this schema; undefined for anything else. */
function resolvePointer(root: JsonObject, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodePart(part);
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isObject(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return node;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

function withType(schema: JsonObject): JsonObject {
  if (schema.type !== undefined || schema.anyOf !== undefined || schema.allOf !== undefined) return schema;
  const type = inferType(schema);
  return type === undefined ? schema : { type, ...schema };
}

function inferType(schema: JsonObject): string | undefined {
  if (schema.properties !== undefined || schema.patternProperties !== undefined || Array.isArray(schema.required)) {
    return 'object';
  }
  if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array';
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  const [only] = types;
  return types.size === 1 && ['string', 'number', 'boolean', 'null'].includes(only as string) ? only : undefined;
}

/** Merges the alternatives at the top into one object: all their properties, required if all alternatives require them. */
function collapseTop(schema: JsonObject): JsonObject {
  const { allOf, anyOf, ...base } = schema;
  const parts = listOf(allOf).map((part) => shapeOf(collapseTop(part)));
  const alternatives = listOf(anyOf).map((part) => shapeOf(collapseTop(part)));
  const shapes = [shapeOf(base), ...parts, ...(alternatives.length > 0 ? [eitherOf(alternatives)] : [])];
  const { properties, required } = shapes.reduce(bothOf);
  const { additionalProperties } = base;
  const rest = Object.entries(base).filter(([key]) => !OBJECT_KEYWORDS.includes(key));
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    // With alternatives, it would forbid their properties.
    ...(shapes.length === 1 && additionalProperties !== undefined ? { additionalProperties } : {}),
  };
}

function listOf(schemas: unknown): JsonObject[] {
  return Array.isArray(schemas) ? schemas.map((schema) => (isObject(schema) ? schema : {})) : [];
}

interface Shape {
  readonly properties: ReadonlyMap<string, unknown>;
  readonly required: readonly string[];
}

function shapeOf(schema: JsonObject): Shape {
  return {
    properties: new Map(isObject(schema.properties) ? Object.entries(schema.properties) : []),
    required: Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [],
  };
}

/** Both apply. A property in both keeps the first description. */
function bothOf(a: Shape, b: Shape): Shape {
  return {
    properties: new Map([...b.properties, ...a.properties]),
    required: [...new Set([...a.required, ...b.required])],
  };
}

/** One of them applies. A property with different descriptions may match any. */
function eitherOf(shapes: readonly Shape[]): Shape {
  const properties = new Map<string, unknown>();
  for (const name of new Set(shapes.flatMap((shape) => [...shape.properties.keys()]))) {
    const described = shapes.filter((shape) => shape.properties.has(name)).map((shape) => shape.properties.get(name));
    const distinct = [...new Map(described.map((schema) => [JSON.stringify(schema), schema])).values()];
    properties.set(name, distinct.length === 1 ? distinct[0] : { anyOf: distinct });
  }
  const [first = [], ...others] = shapes.map((shape) => shape.required);
  return { properties, required: first.filter((name) => others.every((names) => names.includes(name))) };
}
