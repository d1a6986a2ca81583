import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Finding, scrubSubmission } from './scrub-submission.ts';

const texts = readFileSync(new URL('../../../test/data/scrub/edges.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { text: string }).text);

it('findings are sorted by pointer, start, end and rule, whatever was found first', () => {
  const items = Object.fromEntries(
    texts.map((text, at) => [`a${'abc'[at % 3]}`.repeat(1 + (at % 7)) + at, [text, text]]),
  );
  const { rejects, holds, advisories } = scrubSubmission(items, []);
  const key = ({ pointer, start, end, rule }: Finding) =>
    [pointer, String(start).padStart(6, '0'), String(end).padStart(6, '0'), rule].join('\u0000');
  for (const list of [rejects, holds, advisories]) {
    const keys = list.map(key);
    expect(keys).toEqual([...keys].sort());
  }
  // Some are found at the same place by two rules.
  const spans = rejects.map(({ pointer, start, end }) => `${pointer} ${start} ${end}`);
  expect(new Set(spans).size).toBeLessThan(spans.length);
});

it('a number of an enterprise that goes on in the next text is none: it says little', () => {
  const found = (texts: readonly string[]) => {
    const { rejects, holds, advisories } = scrubSubmission(texts, []);
    return [...rejects, ...holds, ...advisories].map(({ rule, pointer }) => `${rule} ${pointer}`);
  };
  expect([found(['BE 0403 170 701']), found(['BE 0403', '170 701']), found(['85.07.30', '033-28'])]).toEqual([
    ['belgian_bce /0'],
    [],
    ['belgian_nrn /0'],
  ]);
});
