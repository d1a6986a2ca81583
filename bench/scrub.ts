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

/** A report of the length that the schema allows. */
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

function measure(run: () => unknown): { p50: number; p95: number } {
  for (let i = 0; i < ROUNDS; i++) run();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] as number;
  return { p50: at(0.5), p95: at(0.95) };
}

const ms = (value: number): string => value.toFixed(3);

console.log(`| ${CHARS} characters | scrub p50 ms | scrub p95 ms | patterns alone p50 ms | patterns alone p95 ms |`);
console.log('|---|--:|--:|--:|--:|');
for (const language of ['fr', 'nl', 'de', 'en', 'uk', 'ar']) {
  for (const person of [false, true]) {
    const report = reportOf(language, person);
    const scrub = measure(() => scrubSubmission({ report }, []));
    const naive = measure(() => runPatterns(report));
    const name = `${language}, ${person ? 'names and numbers' : 'neither names nor numbers'}`;
    console.log(`| ${name} | ${ms(scrub.p50)} | ${ms(scrub.p95)} | ${ms(naive.p50)} | ${ms(naive.p95)} |`);
  }
}
