import fc from 'fast-check';
import { type Node, parseTree } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { LIMITS } from '../contract/limits.ts';
import { offsetBelowDepth, parseJsonTree } from './json-tree.ts';

function depthOf(node: Node | undefined): number {
  if (node === undefined) return 0;
  const below = Math.max(0, ...(node.children ?? []).map(depthOf));
  return node.type === 'object' || node.type === 'array' ? below + 1 : below;
}

test('a file may nest as deep as the limit, and one level more is refused where it begins', () => {
  const nested = (levels: number) => `// one\n${'['.repeat(levels)}${']'.repeat(levels)}`;
  const { jsonFileDepthMax } = LIMITS;
  expect([parseJsonTree(nested(jsonFileDepthMax)).error, parseJsonTree(nested(jsonFileDepthMax + 1)).error]).toEqual([
    undefined,
    { offset: 7 + jsonFileDepthMax, message: 'nested more than 200 levels deep' },
  ]);
});

test('a file that nests without end is refused without being parsed', () => {
  for (const opening of ['[', '{"a":', '{],"a":', '{"a":/*]*/{//}\n"b":']) {
    expect(parseJsonTree(opening.repeat(500_000)).error?.message).toMatch(/nested more than|expected/);
  }
});

const token = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  '"a"',
  '"',
  ':',
  ',',
  '1',
  '//',
  '/*',
  '*/',
  '/',
  '\n',
  '\\',
  '"]{[}"',
  ' ',
);

test('whatever a text is made of, the parser never goes deeper than the scan says', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 60 }), fc.nat(5), (tokens, depthMax) => {
      const text = tokens.join('');
      if (offsetBelowDepth(text, depthMax) === undefined)
        expect(depthOf(parseTree(text))).toBeLessThanOrEqual(depthMax);
    }),
    { numRuns: 5_000 },
  );
});

test('a text without mistakes is as deep as its tree', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const depth = depthOf(parseTree(text));
      expect([offsetBelowDepth(text, depth), depth === 0 || offsetBelowDepth(text, depth - 1) !== undefined]).toEqual([
        undefined,
        true,
      ]);
    }),
  );
});
