import { z } from 'zod';
import { isObject, type JsonObject } from '../../contract/json.ts';

/** Returns the value if it is well-formed, a repaired one, or undefined to drop it. */
type Keep = (value: unknown) => unknown;

/**
 * Clients reject a whole list if one definition violates their schemas. Repairs definitions to a form that all clients accept; returns
 * the same object if there is nothing to repair.
 */
export function wellFormedTool<T extends JsonObject>(tool: T): T {
  return keepMembers(tool, TOOL);
}

/** Whether a tool can be shown: its arguments are an object. An invalid schema is replaced. */
export function takesObject({ inputSchema }: JsonObject): boolean {
  const type = isObject(inputSchema) ? inputSchema.type : undefined;
  return Array.isArray(type) ? type.includes('object') : typeof type !== 'string' || type === 'object';
}

export function wellFormedResource(resource: JsonObject): JsonObject {
  return keepMembers(named(resource, resource.uri), RESOURCE);
}

export function wellFormedTemplate(template: JsonObject): JsonObject {
  return keepMembers(named(template, template.uriTemplate), TEMPLATE);
}

export function wellFormedPrompt(prompt: JsonObject): JsonObject {
  return keepMembers(prompt, PROMPT);
}

/** Clients require a name even for items that are read by URI. */
function named(item: JsonObject, uri: unknown): JsonObject {
  return typeof item.name === 'string' ? item : { ...item, name: uri };
}

function keepMembers<T extends JsonObject>(item: T, members: Readonly<Record<string, Keep>>): T {
  let repaired: Record<string, unknown> | undefined;
  for (const [member, keep] of Object.entries(members)) {
    const value = item[member];
    if (value === undefined) continue;
    const kept = keep(value);
    if (kept === value) continue;
    repaired ??= { ...item };
    if (kept === undefined) delete repaired[member];
    else repaired[member] = kept;
  }
  return (repaired as T | undefined) ?? item;
}

/** Filters a list; returns the same list if every item passes. */
function keepItems(keep: Keep): Keep {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const kept = value.map(keep);
    return kept.every((item, at) => item === value[at]) ? value : kept.filter((item) => item !== undefined);
  };
}

const only =
  (isKept: (value: unknown) => boolean): Keep =>
  (value) =>
    isKept(value) ? value : undefined;
const object =
  (members: Readonly<Record<string, Keep>>): Keep =>
  (value) =>
    isObject(value) ? keepMembers(value, members) : undefined;

const text = only((value) => typeof value === 'string');
const flag = only((value) => typeof value === 'boolean');
const texts = only((value) => Array.isArray(value) && value.every((item) => typeof item === 'string'));
const oneOf = (...words: readonly unknown[]) => only((value) => words.includes(value));
const time = z.iso.datetime({ offset: true });

const ICON = { mimeType: text, sizes: texts, theme: oneOf('light', 'dark') };
const COMMON = {
  title: text,
  description: text,
  icons: keepItems((icon) => (isObject(icon) && typeof icon.src === 'string' ? keepMembers(icon, ICON) : undefined)),
  _meta: object({}),
};

/** JSON Schema allows `true` and `false` as property schemas; clients require objects. */
function keepProperty(schema: unknown): unknown {
  if (typeof schema === 'object' && schema !== null) return schema;
  return schema === false ? { not: {} } : {};
}

function keepProperties(properties: unknown): unknown {
  if (!isObject(properties)) return undefined;
  const isWhole = Object.values(properties).every((schema) => keepProperty(schema) === schema);
  if (isWhole) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, keepProperty(schema)]));
}

const SCHEMA = { $schema: text, properties: keepProperties, required: texts };

/** Leaves a schema that is not an object: the definition limits replace it. */
function keepInput(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const kept = keepMembers(schema, SCHEMA);
  return kept.type === 'object' ? kept : { ...kept, type: 'object' };
}

/** Clients of revision 2025 accept schemas of objects only. */
function keepOutput(schema: unknown): unknown {
  return isObject(schema) && schema.type === 'object' ? keepMembers(schema, SCHEMA) : undefined;
}

const TOOL = {
  ...COMMON,
  inputSchema: keepInput,
  outputSchema: keepOutput,
  annotations: object({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  execution: object({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
};

const TEMPLATE = {
  ...COMMON,
  mimeType: text,
  annotations: object({
    audience: keepItems(oneOf('user', 'assistant')),
    priority: only((value) => typeof value === 'number' && value >= 0 && value <= 1),
    lastModified: only((value) => time.safeParse(value).success),
  }),
};

const RESOURCE = { ...TEMPLATE, size: only((value) => Number.isFinite(value)) };

const ARGUMENT = { description: text, required: flag };
const PROMPT = {
  ...COMMON,
  arguments: keepItems((argument) =>
    isObject(argument) && typeof argument.name === 'string' ? keepMembers(argument, ARGUMENT) : undefined,
  ),
};
