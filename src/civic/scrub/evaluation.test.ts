import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluationReport, type Sentence } from './testing/evaluate.ts';

const root = new URL('../../../', import.meta.url);
const sentences = readFileSync(new URL('test/data/scrub/names.jsonl', root), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sentence);

describe('the evaluation of the scrub', () => {
  it('stands in the documentation as the code gives it', () => {
    const page = readFileSync(new URL('docs/scrub-evaluation.md', root), 'utf8');
    for (const table of evaluationReport(sentences).trim().split('\n\n')) expect(page).toContain(`\n${table}\n`);
  });

  it('rests on at least 200 sentences with a name and 200 without, half of them held out, each sentence once', () => {
    const count = (split: string, person: boolean): number =>
      sentences.filter((sentence) => sentence.split === split && sentence.person === person).length;
    expect([count('held-out', true), count('held-out', false), count('dev', true), count('dev', false)]).toEqual([
      106, 106, 106, 106,
    ]);
    expect([count('fresh', true), count('fresh', false)]).toEqual([96, 96]);
    expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length);
    expect(new Set(sentences.map(({ id }) => id)).size).toBe(sentences.length);
  });
});
