import { readFileSync } from 'node:fs';
import {
  evaluationReport,
  type Sentence,
  type UploadSentence,
  uploadTable,
} from '../src/civic/scrub/testing/evaluate.ts';

const read = <T>(name: string): T[] =>
  readFileSync(new URL(`../test/data/scrub/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
const sentences = ['names', 'names-sealed', 'names-outside', 'names-seen', 'names-practice'].flatMap((name) =>
  read<Sentence>(name),
);
process.stdout.write(`${evaluationReport(sentences)}\n${uploadTable(read<UploadSentence>('uploads'))}\n`);
