import { z } from 'zod';
import { CIVIC_LIMITS, SUBMISSION_TYPES, type SubmissionType } from '../config.ts';
import { CommonFields, submissionId } from './common-fields.ts';
import { ITEM_SCHEMAS } from './item-types.ts';

/** A JSON Schema (2020-12) of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly [keyword: string]: unknown;
}

/** The names under `/agents/schemas/`. */
export const SCHEMA_NAMES = ['envelope', ...SUBMISSION_TYPES] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];

/** The schema of a request: served at `/agents/schemas/<name>.json`, and used as the tool's input schema. */
export function requestSchema(name: SchemaName): ObjectSchema {
  return name === 'envelope' ? envelopeSchema() : typedSchema(name);
}

/** The same schema as a standalone document. */
export function schemaDocument(name: SchemaName, baseUrl: string): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${baseUrl}/agents/schemas/${name}.json`,
    title: name,
    ...requestSchema(name),
  };
}

function typedSchema(type: SubmissionType): ObjectSchema {
  return joinObjects(commonSchema(), { properties: { submission_id: jsonSchema(submissionId) } }, ownSchema(type));
}

function envelopeSchema(): ObjectSchema {
  const items = SUBMISSION_TYPES.map((type) =>
    joinObjects(
      { properties: { type: { const: type }, submission_id: jsonSchema(submissionId) }, required: ['type'] },
      ownSchema(type),
    ),
  );
  return joinObjects(commonSchema(), {
    properties: {
      items: { type: 'array', minItems: 1, maxItems: CIVIC_LIMITS.envelope_items_max, items: { oneOf: items } },
    },
    required: ['items'],
  });
}

interface ObjectPart {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

function commonSchema(): ObjectPart {
  return jsonSchema(CommonFields);
}

/** A type's own members; the two forms of a draft differ only in `content`. */
function ownSchema(type: SubmissionType): ObjectPart {
  const schema = jsonSchema(ITEM_SCHEMAS[type]) as ObjectPart & { oneOf?: readonly ObjectPart[] };
  if (!schema.oneOf) return schema;
  const forms = schema.oneOf.map((part) => part.properties ?? {});
  return {
    properties: {
      ...forms[0],
      target_type: { enum: forms.map((form) => (form.target_type as { const: string }).const) },
      content: { oneOf: forms.map((form) => form.content) },
    },
    required: schema.oneOf[0]?.required ?? [],
  };
}

function joinObjects(...parts: readonly ObjectPart[]): ObjectSchema {
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
    required: parts.flatMap((part) => part.required ?? []),
    additionalProperties: false,
  };
}

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
