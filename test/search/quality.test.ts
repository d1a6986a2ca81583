import { expect, test } from 'vitest';
import { halfOf, publicSets, type QuestionSet, readSet } from '../../bench/search/data.ts';
import { mean, recallAt } from '../../bench/search/measures.ts';
import { lexical, plainBm25, type SearchSystem } from '../../bench/search/systems.ts';

/** What is asked of the search without a model, on questions that nobody tuned on. */
const EXPECTED: Readonly<Record<string, number>> = { livemcp: 0.5, metatool: 0.66 };

const sets = publicSets().map(readSet);
if (sets.length === 0)
  console.info('The public question sets are absent: the quality of the search is not measured here.');

async function heldOutRecall({ questions }: QuestionSet, system: SearchSystem): Promise<number> {
  const recalls: number[] = [];
  for (const question of questions.filter((one) => halfOf(one) === 'held-out')) {
    recalls.push(recallAt(5, question.gold, await system.search([question.query])));
  }
  return mean(recalls);
}

test('the first five tools hold what is expected of the words alone, and far more than plain BM25', async () => {
  for (const set of sets) {
    const own = await heldOutRecall(set, lexical(set.tools));
    expect(own).toBeGreaterThanOrEqual(EXPECTED[set.name] ?? 0);
    expect(own).toBeGreaterThan((await heldOutRecall(set, plainBm25(set.tools))) + 0.2);
  }
});

test('both halves of a set have about half of its questions', () => {
  for (const { questions } of sets) {
    const share = questions.filter((one) => halfOf(one) === 'dev').length / questions.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.1);
  }
});
