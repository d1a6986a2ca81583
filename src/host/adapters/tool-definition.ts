import { isObject, type JsonObject } from '../../contract/json.ts';
import { hasHiddenCharacters } from '../../contract/visible-text.ts';
import { cutUtf8 } from '../output/cut-text.ts';
import { ADAPTER_LIMITS } from './limits.ts';

export type DefinitionFlag = 'schema_replaced' | 'description_cut' | 'invisible_characters' | 'addresses_the_model';

/** A server's tool definition, made safe to forward. */
export interface SafeDefinition {
  readonly description: string;
  readonly schema: JsonObject;
  readonly flags: readonly DefinitionFlag[];
}

/** Allows any arguments; replaces a schema that cannot be used. */
export const OPEN_SCHEMA: JsonObject = { type: 'object', additionalProperties: true };

const TO_THE_MODEL =
  /<(?:important|system|instructions?)>|\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|above|earlier|other)\b.{0,20}\b(?:instructions?|prompts?|rules?|tools?)\b|\b(?:do not|don't|never)\b.{0,20}\b(?:tell|inform|mention|show|reveal)\b.{0,40}\b(?:user|person|human)\b/i;

/** Limits a definition, and flags suspicious parts. */
export function safeDefinition(definition: JsonObject): SafeDefinition {
  const written = typeof definition.description === 'string' ? definition.description : '';
  const description = cutUtf8(written, ADAPTER_LIMITS.descriptionBytesMax, '…');
  const schema = usableSchema(definition.inputSchema);
  const flags: DefinitionFlag[] = [];
  if (schema === undefined) flags.push('schema_replaced');
  if (description !== written) flags.push('description_cut');
  // A person does not see hidden characters, but a model does.
  if ([written, String(definition.name)].some((text) => hasHiddenCharacters(text.replaceAll('\r\n', '\n'))))
    flags.push('invisible_characters');
  if (TO_THE_MODEL.test(written)) flags.push('addresses_the_model');
  return { description, schema: schema ?? OPEN_SCHEMA, flags };
}

/** Bytes of a value's JSON; Infinity if it cannot be serialized. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function usableSchema(schema: unknown): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  const { type } = schema;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) return undefined;
  return jsonBytes(schema) <= ADAPTER_LIMITS.schemaBytesMax ? schema : undefined;
}
