import { createTwoFilesPatch } from 'diff';
import { expect, test } from 'vitest';
import { definitionDiff } from './definition-diff.ts';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import { changedBlocks } from './line-diff.ts';

const tool = {
  name: 'send',
  description: 'Sends a text.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' }, copy: {} } },
};
const changed = {
  ...tool,
  description: 'Sends a text to everybody.',
  inputSchema: { ...tool.inputSchema, properties: { ...tool.inputSchema.properties, blind: { type: 'boolean' } } },
};

/** A shortest diff, which takes the square of the time. */
function shortestDiff(before: unknown, after: unknown): string {
  const [old, now] = [before, after].map((definition) => `${JSON.stringify(definition, null, 2)}\n`);
  return createTwoFilesPatch('accepted', 'now', old as string, now as string, '', '', { context: 2 }).replace(
    /^=+\n/,
    '',
  );
}

test.each([
  ['a changed and an added line', tool, changed],
  ['a removed line', changed, tool],
  ['nothing', tool, tool],
  ['everything', tool, { name: 'other', title: 'Another' }],
])('%s is shown as a shortest diff shows it', (_what, before, after) => {
  expect(definitionDiff(before, after)).toBe(shortestDiff(before, after));
});

test('hidden characters are shown, and no character is split', () => {
  const hidden = { ...tool, description: 'Sends a text.\u200b\u{1f600}' };
  const diff = definitionDiff(tool, hidden);
  expect(diff).toContain('+  "description": "Sends a text.\\u{200B}\u{1f600}",');
  const lengths = Array.from({ length: diff.length }, (_, charsMax) => definitionDiff(tool, hidden, charsMax + 60));
  expect(lengths.every((text, at) => text.length <= at + 60 && text.isWellFormed())).toBe(true);
});

test('a diff of the maximum length is complete; a longer one is truncated, and says so', () => {
  const whole = definitionDiff(tool, changed);
  expect(definitionDiff(tool, changed, whole.length)).toBe(whole);
  const cut = definitionDiff(tool, changed, whole.length - 1);
  expect([cut.length, cut.endsWith('\n… the difference is longer; the rest is not shown\n')]).toEqual([
    whole.length - 1,
    true,
  ]);
});

test('of a definition that is too long, the accepted members are compared first, and the rest by its digest', () => {
  const filler = 'x'.repeat(LIMITS.comparedCharsMax);
  const long = (first: string, description: string, last: string) => ({
    '0': filler + first,
    _meta: { filler: filler + last },
    ...tool,
    description,
  });
  const shown = definitionDiff(long('', 'good', ''), long('', 'bad', ''));
  const unseen = definitionDiff(long('', 'good', 'a'), long('', 'good', 'b'));
  expect(shown).toMatch(/^- .*"good".*\n\+ .*"bad"/m);
  expect(unseen).toMatch(/^-… \d+ more characters, SHA-256 [0-9a-f]{64}\n\+… \d+ more/m);
  const sized = (chars: number, n: number) => ({ a: 'x'.repeat(chars - '{"a":"","n":1}'.length), n });
  const { comparedCharsMax: most } = LIMITS;
  expect(definitionDiff(sized(most, 1), sized(most, 2))).toMatch(/^- {2}"n": 1\n\+ {2}"n": 2\n }$/m);
  expect(definitionDiff(sized(most + 1, 1), sized(most + 1, 2))).toMatch(/^- {2}"n": 1\n\+ {2}"n": 2\n … 1 more/m);
});

test('a long context line does not push the change out of the limit', () => {
  const beside = { title: 'x'.repeat(10_000), ...tool };
  const diff = definitionDiff(beside, { ...beside, name: 'sendAll' }, 2_000);
  expect([diff.includes('+  "name": "sendAll"'), diff.includes('not shown')]).toEqual([true, false]);
});

test('a deeply nested definition does not consist mostly of blanks', () => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const diff = definitionDiff(nested(2_000), { a: 1 });
  expect(diff.length).toBeLessThan(4_000 * (2 * LIMITS.indentedLevelsMax + 10));
});

/** How often a comparison of two lists looks at one of their items. */
function looksAt(before: readonly number[], after: readonly number[]): number {
  let looks = 0;
  const counting = (list: readonly number[]) =>
    new Proxy(list, {
      get(target, name) {
        if (typeof name === 'string' && /^\d/.test(name)) looks += 1;
        return Reflect.get(target, name);
      },
    });
  changedBlocks(counting(before), counting(after));
  return looks;
}

const count = (length: number, of: (at: number) => number) => Array.from({ length }, (_, at) => of(at));

test.each([
  ['equal', (n: number) => [count(n, (at) => at), count(n, (at) => at)]],
  ['entirely different', (n: number) => [count(n, (at) => at), count(n, (at) => n + at)]],
  ['the other way round', (n: number) => [count(n, (at) => at), count(n, (at) => n - at)]],
  ['every second line changed', (n: number) => [count(n, (at) => at), count(n, (at) => (at % 2 ? at : n + at))]],
  ['one kind of line, moved', (n: number) => [count(n, (at) => at % 3), count(n, (at) => (at + 1) % 5)]],
  ['halves exchanged', (n: number) => [count(n, (at) => at), count(n, (at) => (at + n / 2) % n)]],
  ['much longer on one side', (n: number) => [count(n, (at) => at), count(10, (at) => n - at)]],
  [
    'meeting only at the end',
    (n: number) => [
      [...count(n, (at) => at), -1],
      [...count(n, (at) => n + at), -1],
    ],
  ],
])('lists that are %s are compared in time that grows as their length', (_what, lists) => {
  const looks = [500, 5_000, 50_000].map((n) => {
    const [before = [], after = []] = lists(n);
    return looksAt(before, after) / (before.length + after.length);
  });
  expect(Math.max(...looks)).toBeLessThan(12);
});
