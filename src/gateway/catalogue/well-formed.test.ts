import { specTypeSchemas } from '@modelcontextprotocol/client';
import * as sdk from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundedCatalogue } from './bounded-catalogue.ts';
import { offeredTools } from './server-offer.ts';
import { definitionSha256, type RawTool } from './tool-definition.ts';
import { takesObject } from './well-formed.ts';

type Item = Record<string, unknown>;
type Kind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** Whether official clients of both generations accept a definition, as it arrives. */
const ACCEPTED: Readonly<Record<Kind, (item: unknown) => boolean>> = {
  tools: (item) =>
    sdk.ToolSchema.safeParse(item).success && passes(specTypeSchemas.Tool, item) && namesDialect(item as RawTool),
  resources: (item) => sdk.ResourceSchema.safeParse(item).success && passes(specTypeSchemas.Resource, item),
  resourceTemplates: (item) =>
    sdk.ResourceTemplateSchema.safeParse(item).success && passes(specTypeSchemas.ResourceTemplate, item),
  prompts: (item) => sdk.PromptSchema.safeParse(item).success && passes(specTypeSchemas.Prompt, item),
};

function passes(schema: (typeof specTypeSchemas)[keyof typeof specTypeSchemas], item: unknown): boolean {
  const result = schema['~standard'].validate(item);
  return !(result instanceof Promise) && result.issues === undefined;
}

/** Clients of revision 2026 look at the dialect of schemas as well. */
function namesDialect({ inputSchema, outputSchema }: RawTool): boolean {
  const dialects = [inputSchema, outputSchema].map((schema) => (schema as Item | undefined)?.$schema);
  return dialects.every((dialect) => dialect === undefined || typeof dialect === 'string');
}

const anyValue = fc.oneof(
  fc.constantFrom(null, true, false, 5, -1, 'text', '', [], {}, [null], ['a'], [{}], { a: null }),
  fc.jsonValue({ maxDepth: 2 }),
);
const often = (valid: fc.Arbitrary<unknown>) => fc.oneof({ weight: 15, arbitrary: valid }, anyValue);
const text = often(fc.string());
const flag = often(fc.boolean());
const members = (shape: Record<string, fc.Arbitrary<unknown>>) => fc.record(shape, { requiredKeys: [] });
const icons = often(
  fc.array(members({ src: text, mimeType: text, sizes: often(fc.array(text)), theme: often(fc.constant('dark')) })),
);
const common = { title: text, description: text, icons, _meta: often(fc.constant({ a: 1 })), unknown: anyValue };
const type = often(fc.constantFrom('object', 'array', ['object', 'null'], ['null'], []));
const schema = often(
  members({
    type: fc.oneof({ weight: 4, arbitrary: fc.constant('object') }, type),
    properties: often(fc.dictionary(fc.string(), often(fc.constant({ type: 'string' })))),
    required: often(fc.array(text)),
    $schema: text,
    anyOf: often(fc.constant([{ type: 'object' }])),
    $ref: often(fc.constant('#/$defs/a')),
  }),
);
const hints = members({
  title: text,
  readOnlyHint: flag,
  destructiveHint: flag,
  idempotentHint: flag,
  openWorldHint: flag,
});
const notes = members({
  audience: often(fc.array(often(fc.constantFrom('user', 'assistant')))),
  priority: often(fc.constantFrom(0, 0.5, 1, 2)),
  lastModified: often(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00', '2026-13-01', 'today')),
});
const execution = members({ taskSupport: often(fc.constantFrom('required', 'maybe')) });
const described = { ...common, name: text, mimeType: text, annotations: often(notes) };
const promptArguments = fc.array(often(members({ name: text, description: text, required: flag })));
const ANY: Readonly<Record<Kind, fc.Arbitrary<Item>>> = {
  tools: fc.record(
    {
      ...common,
      name: fc.string(),
      inputSchema: schema,
      outputSchema: schema,
      annotations: often(hints),
      execution: often(execution),
    },
    { requiredKeys: ['name'] },
  ),
  resources: fc.record(
    { ...described, uri: fc.string(), size: often(fc.constantFrom(0, 7, 'big')) },
    { requiredKeys: ['uri'] },
  ),
  resourceTemplates: fc.record({ ...described, uriTemplate: fc.constant('a:{b}') }, { requiredKeys: ['uriTemplate'] }),
  prompts: fc.record({ ...common, name: fc.string(), arguments: often(promptArguments) }, { requiredKeys: ['name'] }),
};

const EMPTY = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
const FREE = { pinned: false, inUse: new Map() };

/** What clients receive of a listed definition. */
function received(kind: Kind, item: Item): unknown[] {
  const { catalogue } = boundedCatalogue({ ...EMPTY, [kind]: [item] });
  const items =
    kind === 'tools' ? offeredTools(catalogue.tools, FREE).map(({ definition }) => definition) : catalogue[kind];
  return JSON.parse(JSON.stringify(items));
}

test.each(Object.keys(ANY) as Kind[])(
  'of any malformed %s clients receive what they accept, and what is well formed as it is',
  (kind) => {
    let wellFormed = 0;
    fc.assert(
      fc.property(ANY[kind], (generated) => {
        const item = JSON.parse(JSON.stringify(generated)) as Item;
        const [definition] = received(kind, item);
        if (ACCEPTED[kind](item)) {
          wellFormed += 1;
          expect(definition).toEqual(item);
        } else if (kind === 'tools' && !takesObject(item)) expect(definition).toBeUndefined();
        else expect([definition, ACCEPTED[kind](definition)]).toEqual([definition, true]);
      }),
      { numRuns: 2_000 },
    );
    expect(wellFormed).toBeGreaterThan(30);
  },
);

test('a number that JSON cannot represent is not a size', () => {
  expect(received('resources', { uri: 'a:1', name: 'a', size: Number.POSITIVE_INFINITY })).toEqual([
    { uri: 'a:1', name: 'a' },
  ]);
});

test('each malformed member is repaired separately, and the rest of the definition stays', () => {
  const open = { type: 'object' };
  const tool = (more: Item) => received('tools', { name: 't', inputSchema: open, ...more })[0];
  const input = (inputSchema: unknown) => (tool({ inputSchema }) as RawTool | undefined)?.inputSchema;
  expect([{}, { properties: {} }, { anyOf: [open] }, { $ref: '#/a' }, { type: ['object', 'null'] }].map(input)).toEqual(
    [open, { properties: {}, ...open }, { anyOf: [open], ...open }, { $ref: '#/a', ...open }, open],
  );
  expect([{ type: 'array' }, { type: ['null'] }].map(input)).toEqual([undefined, undefined]);
  expect([{ properties: [] }, { required: true }, { properties: { a: true, b: false, c: null } }].map(input)).toEqual([
    open,
    open,
    { properties: { a: {}, b: { not: {} }, c: {} }, ...open },
  ]);
  const plain = { name: 't', inputSchema: open };
  const dropped: Item[] = [
    { outputSchema: {} },
    { outputSchema: { type: 'array' } },
    ...['description', 'title', 'annotations', 'icons', '_meta'].map((member) => ({ [member]: null })),
    { description: 5 },
  ];
  expect(dropped.map(tool)).toEqual(dropped.map(() => plain));
  expect(tool({ annotations: { readOnlyHint: 'yes', title: 'T' }, icons: [{ src: 5 }, { src: 'a' }] })).toEqual({
    ...plain,
    annotations: { title: 'T' },
    icons: [{ src: 'a' }],
  });
  expect(received('resources', { uri: 'a:1', mimeType: null })).toEqual([{ uri: 'a:1', name: 'a:1' }]);
  expect(received('prompts', { name: 'p', arguments: [{ name: 5 }, { name: 'x', required: 'yes' }] })).toEqual([
    { name: 'p', arguments: [{ name: 'x' }] },
  ]);
});

test('the digest is of the original definition: a repair does not invalidate an acceptance', () => {
  const given = { name: 't', inputSchema: {} };
  expect(offeredTools([given], FREE)).toEqual([
    {
      definition: { name: 't', inputSchema: { type: 'object' } },
      sha256: definitionSha256(given),
      flags: ['repaired'],
      status: 'active',
    },
  ]);
});
