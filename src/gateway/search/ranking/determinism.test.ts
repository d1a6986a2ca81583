import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findTools, foundToolsText } from '../find-tools.ts';
import { CATALOGUE, indexOf } from '../testing/catalogue.ts';
import { letterEncoder } from '../testing/letter-encoder.ts';
import { ToolVectors } from '../vectors/tool-vectors.ts';
import { countTokens } from '../words/tokens.ts';

const folder = new URL('..', import.meta.url);
const QUERIES = [
  'Save tomorrow’s weather in Rome to notes/rome.md',
  '天气',
  'stock prices of the past year',
  'reed file',
];

/** What may differ between engines, machines or languages has no place in a score. */
const INEXACT =
  /Math\.(?!floor|ceil|max|min|abs|round|imul|clz32)\w+|\bIntl\.|localeCompare|toLocale|toFixed|toPrecision/g;

test('scores use integer arithmetic: no logarithm, root, power or locale', () => {
  const found = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) =>
      (readFileSync(new URL(name, folder), 'utf8').match(INEXACT) ?? []).map((text) => `${name}: ${text}`),
    );
  expect(found).toEqual([]);
});

test('[gateway:F5] every score is an integer, with the model too', async () => {
  const vectors = new ToolVectors(letterEncoder());
  vectors.follow(CATALOGUE);
  await vectors.build();
  for (const semantics of [undefined, await vectors.ask(QUERIES)]) {
    const { tools } = findTools(indexOf(CATALOGUE), { queries: QUERIES, limit: 50 }, countTokens, { semantics });
    const scores = tools.flatMap(({ score, reasons }) => [score, ...reasons.map((reason) => reason.score)]);
    expect(scores.filter((score) => !Number.isSafeInteger(score) || score < 0)).toEqual([]);
  }
});

test('[gateway:F5] the answers are the same bytes on every machine: a change of this digest is a change of the search', async () => {
  const vectors = new ToolVectors(letterEncoder());
  vectors.follow(CATALOGUE);
  await vectors.build();
  const digests = await Promise.all(
    [CATALOGUE, CATALOGUE.toReversed()].map(async (tools) => {
      const index = indexOf(tools);
      const texts: string[] = [];
      for (const query of QUERIES) {
        texts.push(foundToolsText(findTools(index, { query }, countTokens)));
        const semantics = await vectors.ask([query]);
        texts.push(foundToolsText(findTools(index, { query }, countTokens, { semantics })));
      }
      return createHash('sha256').update(texts.join('\n')).digest('hex');
    }),
  );
  expect(digests).toEqual(Array(2).fill('bd4a0c816043097cf7dbe8ca9f1bc0f347ff6b8220bade24ea830e995366f455'));
});
