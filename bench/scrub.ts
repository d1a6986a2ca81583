import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { RULES } from '../src/civic/scrub/rules.ts';
import { scrubSubmission } from '../src/civic/scrub/scrub-submission.ts';

const CHARS = 2000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 400);

interface Sentence {
  readonly language: string;
  readonly person: boolean;
  readonly text: string;
}

const sentences = readFileSync(new URL('../test/data/scrub/names.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Sentence);

const PERSONAL =
  ' Joignable au +32 470 12 34 56, compte BE68 5390 0754 7034, voir https://portal.example.org/a?session=abcdef12 et 85.07.30-033.28.';

/** A report of the maximum length. */
function reportOf(language: string, person: boolean): string {
  const texts = sentences.filter((sentence) => sentence.language === language && sentence.person === person);
  let report = person ? PERSONAL : '';
  for (let i = 0; report.length < CHARS; i++) report += ` ${texts[i % texts.length]?.text}`;
  return report.slice(0, CHARS);
}

/** Every published pattern over the text, without checks, order or lists. */
function runPatterns(text: string): number {
  let found = 0;
  for (const { pattern } of RULES) if (pattern) for (const _ of text.matchAll(pattern)) found++;
  return found;
}

/** Percentiles of wall time, and mean CPU time, which is the real cost on a busy machine. */
function measure(run: () => unknown): string {
  for (let i = 0; i < ROUNDS; i++) run();
  const before = process.cpuUsage();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(before);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] as number;
  return [at(0.5), at(0.95), (user + system) / 1000 / ROUNDS].map((value) => value.toFixed(3)).join(' | ');
}

console.log(
  `| ${CHARS} characters, ms | scrub p50 | p95 | CPU mean | patterns alone p50 | p95 | CPU mean |\n|---|--:|--:|--:|--:|--:|--:|`,
);
for (const language of ['fr', 'nl', 'de', 'en', 'uk', 'ar']) {
  for (const person of [false, true]) {
    const report = reportOf(language, person);
    const scrub = measure(() => scrubSubmission({ report }, []));
    const naive = measure(() => runPatterns(report));
    console.log(`| ${language}, ${person ? 'names and numbers' : 'neither names nor numbers'} | ${scrub} | ${naive} |`);
  }
}
