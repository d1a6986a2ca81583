import { isObject, type JsonObject } from '../contract/json.ts';
import { WIRE_LIMITS } from './limits.ts';

/** A tool argument that its schema asks to be mirrored as a header (`x-mcp-header`, revision 2026-07-28). */
export interface HeaderDeclaration {
  /** Property names from the arguments' root. */
  readonly path: readonly string[];
  readonly header: string;
}

export type HeaderScan =
  | { readonly valid: true; readonly declarations: readonly HeaderDeclaration[] }
  | { readonly valid: false; readonly reason: string };

const ANNOTATION = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set(['string', 'integer', 'boolean']);

/** Keywords whose subschemas must not contain an annotation, because the path of the argument would be unknown. */
const ONE_SCHEMA = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
];
const MANY_SCHEMAS = ['oneOf', 'anyOf', 'allOf', 'prefixItems', 'items'];
const NAMED_SCHEMAS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Finds the annotations of a tool's input schema; a tool with an invalid one must not be offered. */
export function scanHeaderDeclarations(inputSchema: unknown): HeaderScan {
  const found = new Map<string, HeaderDeclaration>();
  const reason = visit(inputSchema, [], true, found);
  return reason === undefined ? { valid: true, declarations: [...found.values()] } : { valid: false, reason };
}

/** The `Mcp-Param-*` headers of one call; absent, null and non-primitive arguments have none. */
export function paramHeaders(
  declarations: readonly HeaderDeclaration[],
  args: JsonObject | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarations) {
    const value = primitiveText(valueAt(args, path));
    if (value !== undefined) headers[PREFIX + header] = encodeHeaderValue(value);
  }
  return headers;
}

/** Encodes a value for a header field: plain if that is unambiguous, otherwise `=?base64?…?=` of its UTF-8 bytes. */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x20-\x7e\t]+$/.test(value) && value.trim() === value && !isEncoded(value);
  return plain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

/** Decodes a header field; undefined if the encoding is not canonical or not UTF-8. */
export function decodeHeaderValue(field: string): string | undefined {
  if (!isEncoded(field)) return field;
  const encoded = field.slice('=?base64?'.length, -'?='.length);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isEncoded(value: string): boolean {
  return value.startsWith('=?base64?') && value.endsWith('?=') && value.length >= '=?base64??='.length;
}

/** Keyed by lower-case name, because header names ignore case. */
type DeclarationsByName = Map<string, HeaderDeclaration>;

function visit(
  node: unknown,
  path: readonly string[],
  reachable: boolean,
  found: DeclarationsByName,
): string | undefined {
  if (!isObject(node)) return undefined;
  if (path.length > WIRE_LIMITS.schemaDepthMax) return 'the schema is nested too deeply';
  if (Object.hasOwn(node, ANNOTATION)) {
    const fault = declarationFault(node, path, reachable, found);
    if (fault !== undefined) return `${path.join('.') || 'the schema itself'}: ${fault}`;
    const header = node[ANNOTATION] as string;
    found.set(header.toLowerCase(), { path, header });
  }
  for (const [child, name, stillReachable] of children(node)) {
    const fault = visit(child, [...path, name], reachable && stillReachable, found);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function declarationFault(
  node: JsonObject,
  path: readonly string[],
  reachable: boolean,
  found: DeclarationsByName,
): string | undefined {
  const header = node[ANNOTATION];
  if (!reachable || path.length === 0) return `${ANNOTATION} is allowed only on a property below properties`;
  if (typeof header !== 'string' || !TOKEN.test(header)) return `${ANNOTATION} is not a header name`;
  if (typeof node.type !== 'string' || !TYPES.has(node.type)) {
    return `${ANNOTATION} is allowed only on string, integer and boolean`;
  }
  return found.has(header.toLowerCase()) ? `${ANNOTATION} "${header}" stands there twice` : undefined;
}

function* children(node: JsonObject): Generator<[child: unknown, name: string, reachable: boolean]> {
  if (isObject(node.properties)) for (const [name, child] of Object.entries(node.properties)) yield [child, name, true];
  for (const keyword of ONE_SCHEMA) if (isObject(node[keyword])) yield [node[keyword], keyword, false];
  for (const keyword of MANY_SCHEMAS) {
    const list = node[keyword];
    if (Array.isArray(list)) for (const child of list) yield [child, keyword, false];
  }
  for (const keyword of NAMED_SCHEMAS) {
    const map = node[keyword];
    if (isObject(map)) for (const child of Object.values(map)) yield [child, keyword, false];
  }
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value: unknown = root;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function primitiveText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** The member of `params` that the header `Mcp-Name` mirrors, by method. */
const NAME_MEMBER: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The value for `Mcp-Name` of a request, if its method has one. */
export function mirroredName(method: string, params: JsonObject | undefined): string | undefined {
  const member = NAME_MEMBER[method];
  const value = member === undefined ? undefined : params?.[member];
  return typeof value === 'string' ? value : undefined;
}

/** The headers that revision 2026-07-28 asks of each POST, besides `MCP-Protocol-Version`. */
export function modernHeaders(method: string, name: string | undefined): Record<string, string> {
  return name === undefined ? { 'mcp-method': method } : { 'mcp-method': method, 'mcp-name': encodeHeaderValue(name) };
}
