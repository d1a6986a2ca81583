import { z } from 'zod';
import { ERRORS } from '../contract/errors.ts';
import type { AnyOperation, HttpFace } from '../contract/operation.ts';
import { inputSchemaOf } from '../contract/text-input.ts';

/** Operations → an OpenAPI 3.1 document. */
export function openApiDocument(operations: readonly AnyOperation[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    if (!operation.http) continue;
    paths[operation.http.path] = {
      ...paths[operation.http.path],
      [operation.http.method.toLowerCase()]: operationObject(operation, operation.http),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Bindery', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: { schemas: { Problem: problemSchema } },
  };
}

function operationObject(operation: AnyOperation, http: HttpFace<unknown, unknown>): object {
  const schema = inputSchemaOf(operation.input);
  const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const hasBody = http.method !== 'GET' && http.method !== 'DELETE';
  const inHeader = Object.keys(http.headers ?? {});
  const elsewhere = [...inPath, ...inHeader];
  const inQuery = hasBody ? [] : Object.keys(schema.properties).filter((name) => !elsewhere.includes(name));
  const parameter = (name: string, where: 'path' | 'query' | 'header') => ({
    name: where === 'header' ? http.headers?.[name] : name,
    in: where,
    required: where === 'path' || schema.required.includes(name),
    schema: schema.properties[name] ?? {},
  });
  const bodySchema = http.body === undefined ? schema : (schema.properties[http.body] ?? {});
  const output = http.streams ? { type: 'string' } : outputSchema(operation);
  return {
    operationId: operation.id,
    tags: [operation.id.split('.')[0]],
    summary: operation.summary,
    ...(operation.description ? { description: operation.description } : {}),
    parameters: [
      ...inPath.map((name) => parameter(name, 'path')),
      ...inQuery.map((name) => parameter(name, 'query')),
      ...inHeader.map((name) => parameter(name, 'header')),
    ],
    ...(hasBody ? { requestBody: { required: true, content: { 'application/json': { schema: bodySchema } } } } : {}),
    responses: {
      200: { description: 'Done', content: { [http.contentType ?? 'application/json']: { schema: output } } },
      default: {
        description: 'A problem',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function outputSchema({ output }: AnyOperation): object {
  const { $schema: _, ...schema } = z.toJSONSchema(output, { unrepresentable: 'any' });
  return schema;
}

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    detail: { type: 'string' },
    request_id: { type: 'string' },
  },
};
