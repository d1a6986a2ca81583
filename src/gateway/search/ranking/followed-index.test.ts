import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../../contract/steps.ts';
import { findTools, foundToolsText } from '../find-tools.ts';
import type { SearchableTool } from '../searchable-tool.ts';
import { anyCatalogue, anyText, CATALOGUE, indexOf } from '../testing/catalogue.ts';
import { FollowedIndex, type ServerTools } from './followed-index.ts';

const count = (text: string): number => Math.ceil(text.length / 4);

function byServer(tools: readonly SearchableTool[]): ServerTools[] {
  const groups = [...Map.groupBy(tools, ({ server }) => server)];
  return groups.map(([server, ofServer]) => ({ server, signature: JSON.stringify(ofServer), tools: ofServer }));
}

test('[gateway:F5] an index that followed any history answers to the byte as one that was built at once, in any order', () => {
  const anyHistory = fc.array(anyCatalogue, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anyHistory, anyText, fc.func(fc.integer()), (history, query, shuffle) => {
      const followed = new FollowedIndex();
      for (const tools of history) finish(followed.follow(byServer(tools)));
      const last = history.at(-1) as SearchableTool[];
      const shuffled = last.toSorted((a, b) => shuffle(a.name) - shuffle(b.name));
      const text = (index: FollowedIndex['index']) => foundToolsText(findTools(index, { query, limit: 50 }, count));
      expect(text(followed.index)).toBe(text(indexOf(shuffled)));
    }),
    { numRuns: 150 },
  );
});

test('only servers whose tools changed are indexed again', () => {
  const followed = new FollowedIndex();
  finish(followed.follow(byServer(CATALOGUE)));
  const changed = CATALOGUE.filter(({ server }) => server !== 'cn').map((tool) =>
    tool.server === 'stocks' ? { ...tool, description: 'Prices.' } : tool,
  );
  const follow = () => finish(followed.follow(byServer(changed)));
  expect([follow(), follow(), followed.index.size]).toEqual([['cn', 'stocks'], [], changed.length]);
});

test('indexing many tools pauses between servers', () => {
  const many = ['a', 'b', 'c'].flatMap((server) =>
    Array.from({ length: 250 }, (_, index) => ({
      ...(CATALOGUE[0] as SearchableTool),
      server,
      name: `${server}${index}`,
    })),
  );
  const followed = new FollowedIndex();
  const steps = followed.follow(byServer(many));
  const sizes = [steps, steps, steps, steps].map((step) => [step.next().done, followed.index.size]);
  expect(sizes).toEqual([
    [false, 250],
    [false, 500],
    [false, 750],
    [true, 750],
  ]);
});
