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

test('[gateway:F5] an index after any history gives the same bytes as one built at once, in any order', () => {
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

test('indexing many tools yields between servers', () => {
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

test('a tool with invalid texts is searchable by its other texts, and a changed one replaces it', () => {
  const [good] = CATALOGUE as [SearchableTool];
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (title, description, input_schema) => {
      const bad = { ...good, server: 'bad', name: 'bad__tool', title, description, input_schema } as SearchableTool;
      const fixed = { ...good, server: 'bad', name: 'bad__tool' };
      const followed = new FollowedIndex();
      finish(followed.follow(byServer([bad, good])));
      expect(followed.index.size).toBe(2);
      const { tools } = findTools(followed.index, { query: good.original_name, limit: 50 }, count);
      expect(tools.map(({ name }) => name).sort()).toEqual(['bad__tool', good.name].sort());
      finish(followed.follow(byServer([fixed, good])));
      expect(followed.index.tools()).toEqual(indexOf([fixed, good]).tools());
    }),
  );
});

test('a server whose indexing failed is indexed again, even if it returns to its earlier state', () => {
  const [tool] = CATALOGUE as [SearchableTool];
  const failing = {
    ...tool,
    name: 'failing',
    get title(): string {
      throw new Error('no title');
    },
  };
  const servers = (signature: string, tools: SearchableTool[]) => [{ server: tool.server, signature, tools }];
  const followed = new FollowedIndex();
  finish(followed.follow(servers('1', [tool])));
  expect(() => finish(followed.follow(servers('2', [{ ...tool, name: 'other' }, failing])))).toThrow('no title');
  finish(followed.follow(servers('1', [tool])));
  expect(followed.index.tools()).toEqual([tool]);
});
