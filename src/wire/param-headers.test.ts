import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  mirroredName,
  modernHeaders,
  paramHeaders,
  scanHeaderDeclarations,
} from './param-headers.ts';

test('every string survives the way through a header field', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 1 }), fc.constantFrom('=?base64?', '?=', ' ', '\t')),
      }),
      (value) => {
        const field = encodeHeaderValue(value);
        expect(field).toMatch(/^[\x20-\x7e\t]+$/);
        expect(field.trim()).toBe(field);
        expect(decodeHeaderValue(field)).toBe(value);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ['plain', 'us-west1', 'us-west1'],
  ['inner space', 'a b', 'a b'],
  ['outer space', ' a', '=?base64?IGE=?='],
  ['empty', '', '=?base64??='],
  ['not ASCII', '日本', '=?base64?5pel5pys?='],
  ['a line break', 'a\nb', '=?base64?YQpi?='],
  ['already in disguise', '=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
])('a value that is %s', (_what, value, field) => {
  expect(encodeHeaderValue(value)).toBe(field);
});

test('a field whose base64 is not canonical, or not UTF-8, is refused', () => {
  expect(['=?base64?YQ?=', '=?base64?YQ===?=', '=?base64?/w==?=', '=?base64?Y Q=?='].map(decodeHeaderValue)).toEqual(
    Array(4).fill(undefined),
  );
});

test('annotated arguments are mirrored, absent and null ones are not', () => {
  const scan = scanHeaderDeclarations({
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      gone: { type: 'string', 'x-mcp-header': 'Gone' },
      none: { type: 'string', 'x-mcp-header': 'None' },
      at: { type: 'object', properties: { row: { type: 'integer', 'x-mcp-header': 'Row' } } },
    },
  });
  if (!scan.valid) throw new Error(scan.reason);
  expect(paramHeaders(scan.declarations, { region: 'eu', dry: false, none: null, at: { row: 7 } })).toEqual({
    'Mcp-Param-Region': 'eu',
    'Mcp-Param-Dry': 'false',
    'Mcp-Param-Row': '7',
  });
});

const property = (schema: object) => ({ type: 'object', properties: { a: schema } });
test.each([
  ['an empty name', property({ type: 'string', 'x-mcp-header': '' })],
  ['a name with a space', property({ type: 'string', 'x-mcp-header': 'a b' })],
  ['a name with a line break', property({ type: 'string', 'x-mcp-header': 'a\r\nb' })],
  ['a name that is no string', property({ type: 'string', 'x-mcp-header': 7 })],
  ['a number', property({ type: 'number', 'x-mcp-header': 'A' })],
  ['an object', property({ type: 'object', 'x-mcp-header': 'A' })],
  ['no type', property({ 'x-mcp-header': 'A' })],
  ['the schema itself', { type: 'string', 'x-mcp-header': 'A' }],
  ['array items', property({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } })],
  ['an alternative', { oneOf: [property({ type: 'string', 'x-mcp-header': 'A' })] }],
  ['a definition', { $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } }],
  [
    'a name twice but for case',
    { properties: { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } } },
  ],
])('an annotation on %s makes the tool invalid', (_where, schema) => {
  expect(scanHeaderDeclarations(schema).valid).toBe(false);
});

test('a schema nested without end is refused, not followed', () => {
  const schema: Record<string, unknown> = { type: 'object' };
  schema.properties = { again: schema };
  expect(scanHeaderDeclarations(schema)).toEqual({ valid: false, reason: 'the schema is nested too deeply' });
});

test('a property named like a prototype member is only read if it is there', () => {
  const scan = scanHeaderDeclarations({ properties: { constructor: { type: 'string', 'x-mcp-header': 'C' } } });
  expect(scan.valid && paramHeaders(scan.declarations, {})).toEqual({});
});

test('the name header mirrors the tool, prompt or resource of the request', () => {
  expect([
    modernHeaders('tools/call', mirroredName('tools/call', { name: 'é' })),
    modernHeaders('resources/read', mirroredName('resources/read', { uri: 'file:///a' })),
    modernHeaders('tools/list', mirroredName('tools/list', { name: 'x' })),
  ]).toEqual([
    { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?w6k=?=' },
    { 'mcp-method': 'resources/read', 'mcp-name': 'file:///a' },
    { 'mcp-method': 'tools/list' },
  ]);
});
