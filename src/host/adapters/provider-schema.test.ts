import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { providerSchema } from './provider-schema.ts';
import { OPEN_SCHEMA } from './tool-definition.ts';

const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });

describe('a schema for model APIs', () => {
  test('[host:P8] has its local references inlined, and no $schema', () => {
    expect(
      providerSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          a: { $ref: '#/$defs/A', description: 'own words' },
          list: { items: { $ref: '#/definitions/B~1C' } },
        },
        $defs: { A: { type: 'string', description: 'theirs' } },
        definitions: { 'B/C': { enum: ['x', 'y'] } },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'own words' },
        list: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
      },
    });
  });

  test('[host:P8] a property may be named like a keyword', () => {
    const schema = {
      type: 'object',
      properties: { $defs: { type: 'string' }, not: { type: 'number' }, items: { type: 'string' } },
    };
    expect(providerSchema(schema)).toEqual(schema);
  });

  test('[host:P8] a recursive, dangling or external reference is left open', () => {
    const tree = {
      type: 'object',
      properties: { child: { $ref: '#' }, gone: { $ref: '#/$defs/no' }, far: { $ref: 'https://x/y' } },
    };
    expect(providerSchema(tree)).toEqual({
      type: 'object',
      properties: { child: { type: 'object', properties: { child: {}, gone: {}, far: {} } }, gone: {}, far: {} },
    });
  });

  test('[host:P8] alternatives at the top become one object', () => {
    expect(
      providerSchema({
        oneOf: [
          { properties: { kind: { const: 'a' }, x: { type: 'string' } }, required: ['kind', 'x'] },
          { properties: { kind: { const: 'b' }, y: { type: 'number' } }, required: ['kind'] },
        ],
        allOf: [{ properties: { z: { type: 'boolean' } }, required: ['z'] }],
        description: 'kept',
      }),
    ).toEqual({
      type: 'object',
      description: 'kept',
      properties: {
        kind: {
          anyOf: [
            { type: 'string', const: 'a' },
            { type: 'string', const: 'b' },
          ],
        },
        x: { type: 'string' },
        y: { type: 'number' },
        z: { type: 'boolean' },
      },
      required: ['z', 'kind'],
    });
  });

  test('[host:P8] an empty schema is an object', () => {
    expect(providerSchema({})).toEqual({ type: 'object', properties: {} });
  });

  test('[host:P8] references that multiply are limited', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } };
    for (let depth = 1; depth < 40; depth += 1) {
      const ref = { $ref: `#/$defs/d${depth - 1}` };
      $defs[`d${depth}`] = { type: 'object', properties: { a: ref, b: ref } };
    }
    expect(providerSchema({ type: 'object', properties: { all: { $ref: '#/$defs/d39' } }, $defs })).toBe(OPEN_SCHEMA);
  });

  test('[host:P8] below the top, the inlined schema accepts everything that the original accepts', () => {
    const { leaf } = fc.letrec<{ leaf: JsonObject; node: JsonObject }>((tie) => ({
      leaf: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<JsonObject>(
          { type: 'string', minLength: 1 },
          { type: 'integer', minimum: 0 },
          { type: ['string', 'null'] },
          { enum: ['a', 1, null] },
          { const: 'k' },
          { $ref: '#/$defs/one' },
          { $ref: '#/$defs/two', description: 'x' },
          { $ref: '#/$defs/one', minLength: 2 },
          { $ref: '#' },
          {},
        ),
        tie('node'),
      ),
      node: fc.oneof(
        fc.record({ type: fc.constant('array'), items: tie('leaf') }),
        fc.record({ anyOf: fc.array(tie('leaf'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('leaf'), { minLength: 1, maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie('leaf'), { minLength: 1, maxLength: 2 }) }),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        fc.record({ not: tie('leaf'), if: tie('leaf'), then: tie('leaf') }),
        fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('leaf')) }),
      ) as fc.Arbitrary<JsonObject>,
    }));
    const value = fc.jsonValue({ maxDepth: 3 });
    const lively = fc.oneof(value, fc.constantFrom('a', 'k', 1, null, 'bb', ['a'], { a: 'a', b: 1 }));
    let accepted = 0;
    fc.assert(
      fc.property(leaf, leaf, leaf, lively, (property, one, two, content) => {
        const schema = { type: 'object', properties: { a: property }, $defs: { one, two } };
        // A definition that refers to itself in a circle has no meaning for the validator either.
        let original: (data: unknown) => boolean;
        try {
          original = ajv.compile(schema);
        } catch {
          return;
        }
        const inlined = ajv.compile(providerSchema(schema));
        try {
          if (!original({ a: content })) return;
        } catch {
          return;
        }
        accepted += 1;
        expect(inlined({ a: content })).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(30);
  });

  test('[host:P8] the merged object accepts what one of closed alternatives accepts', () => {
    const type = fc.constantFrom({ type: 'string' }, { type: 'number' }, { type: 'boolean' });
    const variant = fc
      .dictionary(fc.constantFrom('a', 'b', 'c'), type, { minKeys: 1 })
      .chain((properties) =>
        fc
          .subarray(Object.keys(properties))
          .map((required) => ({ type: 'object', properties, required, additionalProperties: false })),
      );
    const args = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 1, true));
    fc.assert(
      fc.property(fc.array(variant, { minLength: 1, maxLength: 3 }), args, (anyOf, given) => {
        const merged = ajv.compile(providerSchema({ anyOf }));
        if (ajv.compile({ anyOf })(given)) expect(merged(given)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
