import fc from 'fast-check';

const NAMES = ['a', 'b', 'c', 'ab', 'length', 'x/y'];
const name = fc.constantFrom(...NAMES);
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 1.5, -3, 10, '', 'a', 'ab', 'abc', '😀', 'true');

/** Values that schemas of this file speak of. */
export const schemaValues: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 3, arbitrary: record(tie('value')) },
  ),
})).value;

function record(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc.array(fc.tuple(name, value), { maxLength: 4 }).map((members) => Object.fromEntries(members));
}

const small = fc.nat(3);
const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');

/** Schemas that both dialects know; references lead to `#` and to two definitions. */
export function randomSchemas(dialect: '2020-12' | 'draft-07'): fc.Arbitrary<Record<string, unknown>> {
  const schemas = fc.letrec<{ schema: unknown }>((tie) => {
    const schema = tie('schema');
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const named = fc.array(fc.tuple(name, schema), { maxLength: 3 }).map((members) => Object.fromEntries(members));
    const patterned = fc
      .array(fc.tuple(fc.constantFrom('^a', 'b$', 'c', '^(a|b)+$'), schema), { maxLength: 2 })
      .map((members) => Object.fromEntries(members));
    const shared: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.array(schemaValues, { minLength: 1, maxLength: 4 }),
      const: schemaValues,
      ...Object.fromEntries(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((key) => [key, small])),
      multipleOf: fc.constantFrom(1, 2, 0.5),
      ...Object.fromEntries(['minLength', 'maxLength', 'minItems', 'maxItems'].map((key) => [key, small])),
      ...Object.fromEntries(['minProperties', 'maxProperties'].map((key) => [key, small])),
      pattern: fc.constantFrom('^a', 'b$', '^(a|b)+$', '\\d', '^.$'),
      uniqueItems: fc.boolean(),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      properties: named,
      patternProperties: patterned,
      additionalProperties: schema,
      propertyNames: schema,
      dependencies: fc.dictionary(name, fc.oneof(schema, fc.uniqueArray(name, { maxLength: 2 })), { maxKeys: 2 }),
      ...{ allOf: list, anyOf: list, oneOf: list },
      ...Object.fromEntries(['not', 'if', 'then', 'else', 'contains'].map((key) => [key, schema])),
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/two', '#'),
    };
    const newer: Record<string, fc.Arbitrary<unknown>> = {
      prefixItems: list,
      items: schema,
      dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
      dependentSchemas: named,
      unevaluatedProperties: schema,
    };
    const older: Record<string, fc.Arbitrary<unknown>> = { items: fc.oneof(schema, list), additionalItems: schema };
    const keywords = { ...shared, ...(dialect === '2020-12' ? newer : older) };
    const object = fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 3 })
      // With schemas by place, an empty list passes `contains` in the validator that is compared with.
      .map((keys) => (keys.includes('contains') ? keys.filter((key) => !/items/i.test(key)) : keys))
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, keywords[key] as fc.Arbitrary<unknown>]))));
    return { schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), object) };
  });
  return fc
    .tuple(schemas.schema, schemas.schema, schemas.schema)
    .map(([root, one, two]) => ({ ...(typeof root === 'object' ? root : { not: !root }), $defs: { one, two } }));
}
