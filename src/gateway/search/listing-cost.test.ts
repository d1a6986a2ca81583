import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEARCH_LIMITS } from './limits.ts';
import { decideExposure, listingCost, searchListing } from './listing-cost.ts';
import { CALL_TOOL, FIND_TOOLS, type ListedTool } from './tool-definitions.ts';
import { countTokens } from './words/tokens.ts';

const listed = (name: string, description = 'Does something useful with what it is given.'): ListedTool => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
});

test('[gateway:F2] the cost of a listing is the tokens of its JSON', () => {
  expect(listingCost([listed('a')], countTokens)).toBe(countTokens(JSON.stringify([listed('a')])));
});

test('[gateway:F2] special tokens count as text', () => {
  expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
});

test('[gateway:F3] the two search tools together cost far less than a thousand tokens', () => {
  expect(listingCost([FIND_TOOLS, CALL_TOOL], countTokens)).toBeLessThan(350);
});

test.each([1, 12, 100, 1_000])(
  '[gateway:F3] the listing of %i servers stays within a thousand tokens, pinned tools included',
  (servers) => {
    const pinned = Array.from({ length: servers }, (_, at) => listed(`server-${at}__look_up`));
    const { tools, left } = searchListing(pinned, countTokens);
    expect(listingCost(tools, countTokens)).toBeLessThanOrEqual(SEARCH_LIMITS.listingTokensMax);
    expect(tools.slice(0, 2)).toEqual([FIND_TOOLS, CALL_TOOL]);
    expect([...tools.slice(2).map(({ name }) => name), ...left]).toEqual(pinned.map(({ name }) => name));
    expect(tools.length).toBeGreaterThan(2);
  },
);

test('[gateway:F3] a pinned tool that does not fit is left out, and the next one that fits is listed', () => {
  const { tools, left } = searchListing([listed('a'), listed('huge', 'word '.repeat(2_000)), listed('b')], countTokens);
  expect([tools.map(({ name }) => name), left]).toEqual([['find_tools', 'call_tool', 'a', 'b'], ['huge']]);
});

describe('[gateway:F2] [gateway:R10] exposure', () => {
  test.each([
    ['all', 'all', 9_999, undefined, 'all'],
    ['search', 'search', 1, undefined, 'search'],
    ['auto within the budget', 'auto', 1_000, undefined, 'all'],
    ['auto above the budget', 'auto', 1_001, undefined, 'search'],
    ['auto that was search before', 'auto', 1, 'search', 'search'],
    ['auto that grew past the budget', 'auto', 1_001, 'all', 'search'],
  ] as const)('%s', (_, exposure, listingTokens, before, decided) => {
    expect(decideExposure({ exposure, listingTokens, budgetTokens: 1_000, before })).toBe(decided);
  });

  test('auto never goes back from search to all within a session', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000)), (costs) => {
        let before: 'search' | 'all' | undefined;
        const seen = costs.map((listingTokens) => {
          before = decideExposure({ exposure: 'auto', listingTokens, budgetTokens: 1_000, before });
          return before;
        });
        expect(seen).toEqual(
          costs.map((_, at) => (costs.slice(0, at + 1).some((cost) => cost > 1_000) ? 'search' : 'all')),
        );
      }),
    );
  });
});
