import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type RealisticTool, toolSet } from '../../../test/support/realistic/tool-set.ts';
import { ArgumentValidator } from './validate-arguments.ts';

const tools = [...toolSet(1), ...toolSet(2)];
const validator = new ArgumentValidator();

/** The same validator with nothing changed about patterns. */
const plainly = ({ inputSchema }: RealisticTool) =>
  new (String(inputSchema.$schema).includes('draft-07') ? Ajv : Ajv2020)({
    strict: false,
    validateFormats: false,
    ownProperties: true,
    multipleOfPrecision: 6,
  }).compile(inputSchema);

describe.each(tools.map((tool, index) => [`${index} ${tool.description}`, tool] as const))('tool %s', (_, tool) => {
  test('[gateway:F6] valid arguments pass, and invalid ones are refused at their position', () => {
    const fits = plainly(tool);
    expect(tool.good.map((args) => [validator.check(tool.inputSchema, args), fits(args)])).toEqual(
      tool.good.map(() => [{ issues: [] }, true]),
    );
    const judged = tool.bad.map((bad) => ({
      pointers: [...new Set(validator.check(tool.inputSchema, bad.arguments).issues.map(({ pointer }) => pointer))],
      isFit: fits(bad.arguments),
    }));
    expect(judged).toEqual(tool.bad.map(({ pointer }) => ({ pointers: [pointer], isFit: false })));
  });
});

test('the set covers what published schemas use', () => {
  const text = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
  const features = '$defs definitions $ref oneOf anyOf const patternProperties format additionalProperties uniqueItems';
  expect(features.split(' ').filter((feature) => !text.includes(`"${feature}":`))).toEqual([]);
  expect([text.includes('draft-07'), text.includes('\\\\p{L}')]).toEqual([true, true]);
  expect(tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).split('"pattern":').length < 3)).toEqual([]);
});
