import { readFileSync } from 'node:fs';
import { evaluationReport, type Sentence } from '../src/civic/scrub/testing/evaluate.ts';

const lines = readFileSync(new URL('../test/data/scrub/names.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
process.stdout.write(evaluationReport(lines.map((line) => JSON.parse(line) as Sentence)));
