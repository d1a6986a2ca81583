import { parseArgs } from 'node:util';
import { findTools } from '../src/gateway/search/find-tools.ts';
import { listingCost } from '../src/gateway/search/listing-cost.ts';
import type { SearchableTool } from '../src/gateway/search/searchable-tool.ts';
import { countTokens } from '../src/gateway/search/words/tokens.ts';
import { halfOf, publicSets, type Question, type QuestionSet, readSet } from './search/data.ts';
import { interval95, mean, ndcg10, percentile, recallAt } from './search/measures.ts';
import { syntheticQueries, syntheticTools } from './search/synthetic.ts';
import {
  indexTools,
  lexical,
  openModel,
  plainBm25,
  type SearchSystem,
  semantic,
  withPastQueries,
} from './search/systems.ts';

const { values } = parseArgs({
  options: {
    set: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    packages: { type: 'string' },
  },
});

const PARTS = ['all', 'dev', 'held-out'];

const folders = values.set ?? publicSets();
/** Opened on first use, so that earlier measurements do not include it. */
let opening: ReturnType<typeof openModel> | undefined;
const model = () => {
  opening ??= openModel(values.packages);
  return opening;
};
if (values.json) {
  for (const folder of folders) console.log(JSON.stringify(await summary(readSet(folder))));
} else {
  if (folders.length === 0)
    console.log('\nThe public sets are not here (../shared/data/tool-search): quality is not measured. Use --set DIR.');
  for (const folder of folders) await printSet(readSet(folder));
  if (folders.length > 0 && !(await model()))
    console.log(
      '\nThe packages of the model are not installed (--packages DIR names a node_modules that has them): `semantic` was not measured.',
    );
  await printSpeed();
}
await (await opening)?.close();

interface Measured {
  readonly name: string;
  readonly answers: readonly { readonly question: Question; readonly names: readonly string[] }[];
  readonly queryMs: readonly number[];
  readonly indexMs: number;
  readonly rssMb: number;
}

async function measure(
  set: QuestionSet,
  build: () => SearchSystem | Promise<SearchSystem>,
  queriesOf = wholeQuestion,
): Promise<Measured> {
  const start = performance.now();
  const system = await build();
  const indexMs = performance.now() - start;
  for (const question of set.questions.slice(0, 20)) await system.search(queriesOf(question));
  const answers: { question: Question; names: readonly string[] }[] = [];
  const queryMs: number[] = [];
  for (const question of set.questions) {
    const { names, ms } = await ask(system, queriesOf(question));
    queryMs.push(ms);
    answers.push({ question, names });
  }
  return { name: system.name, answers, queryMs, indexMs, rssMb: process.memoryUsage().rss / 2 ** 20 };
}

/** Asks a fast system three times and counts the fastest, to exclude other load. */
async function ask(
  system: SearchSystem,
  queries: readonly string[],
): Promise<{ names: readonly string[]; ms: number }> {
  let names: readonly string[] = [];
  let ms = Number.POSITIVE_INFINITY;
  for (let round = 0; round < (system.name === 'semantic' ? 1 : 3); round += 1) {
    const start = performance.now();
    const answer = system.search(queries);
    names = answer instanceof Promise ? await answer : answer;
    ms = Math.min(ms, performance.now() - start);
  }
  return { names, ms };
}

async function measureAll(set: QuestionSet): Promise<Measured[]> {
  const measured = [await measure(set, () => plainBm25(set.tools)), await measure(set, () => lexical(set.tools))];
  const encoder = await model();
  if (!encoder) return measured;
  const system = await measure(set, async () => {
    const built = await semantic(set.tools, encoder);
    encoder.isTimed = true;
    return built;
  });
  encoder.isTimed = false;
  return [...measured, system];
}

async function summary(set: QuestionSet): Promise<object> {
  const systems = (await measureAll(set)).map(({ name, answers, queryMs, indexMs, rssMb }) => ({
    name,
    recall: Object.fromEntries(
      [1, 5, 10].map((k) => [
        k,
        round(mean(answers.map(({ question, names }) => recallAt(k, question.gold, names))), 4),
      ]),
    ),
    ndcg_10: round(mean(answers.map(({ question, names }) => ndcg10(question.gold, names))), 4),
    query_ms: { p50: round(percentile(queryMs, 0.5), 3), p95: round(percentile(queryMs, 0.95), 3) },
    index_ms: round(indexMs, 1),
    rss_mb: round(rssMb, 1),
  }));
  return { set: set.name, tools: set.tools.length, queries: set.questions.length, systems };
}

async function printSet(set: QuestionSet): Promise<void> {
  console.log(`\n${set.name}: ${set.tools.length} tools, ${set.questions.length} questions`);
  console.log(tokensLine(set));
  console.log(
    'system      part       n     recall@1  recall@5  95 %          recall@10  nDCG@10  p50 ms  p95 ms  index ms  RSS MB',
  );
  for (const system of await measureAll(set)) printSystem(system.name, system);
  const encoder = await model();
  const also = async (name: string, tools: readonly SearchableTool[], queriesOf = wholeQuestion, parts = PARTS) => {
    printSystem(name, await measure(set, () => lexical(tools), queriesOf), parts);
    if (encoder) printSystem(`${name}+`, await measure(set, () => semantic(tools, encoder), queriesOf), parts);
  };
  if (set.questions.every(({ steps }) => steps && steps.length > 0))
    await also('by step', set.tools, ({ steps }) => steps ?? []);
  const past = set.questions.filter((question) => halfOf(question) === 'dev');
  // Learns from one half of the questions and tests with the other.
  if (past.length >= 5 * set.tools.length)
    for (const count of [5, 20])
      await also(`past ${count}`, withPastQueries(set.tools, past, count), wholeQuestion, ['held-out']);
}

function printSystem(name: string, { answers, queryMs, indexMs, rssMb }: Measured, parts = PARTS): void {
  for (const part of parts) {
    const chosen = answers.filter(({ question }) => part === 'all' || halfOf(question) === part);
    const recalls = (k: number): number[] => chosen.map(({ question, names }) => recallAt(k, question.gold, names));
    const [low, high] = interval95(recalls(5));
    const columns = [
      name.padEnd(11),
      part.padEnd(9),
      String(chosen.length).padStart(4),
      figure(mean(recalls(1))).padStart(12),
      figure(mean(recalls(5))).padStart(9),
      `${figure(low)}–${figure(high)}`.padStart(11),
      figure(mean(recalls(10))).padStart(12),
      figure(mean(chosen.map(({ question, names }) => ndcg10(question.gold, names)))).padStart(8),
    ];
    const speed =
      part === 'all'
        ? [percentile(queryMs, 0.5), percentile(queryMs, 0.95), indexMs, rssMb].map((value) =>
            value.toFixed(1).padStart(8),
          )
        : [];
    console.log([...columns, ...speed].join(' '));
  }
}

/** The tokens of the whole listing, and of one search in its place. */
function tokensLine({ tools, questions }: QuestionSet): string {
  const listing = listingCost(
    tools.map(({ name, description, input_schema }) => ({
      name,
      description: description ?? '',
      inputSchema: input_schema,
    })),
    countTokens,
  );
  const index = indexTools(tools);
  const used = questions
    .slice(0, 100)
    .map(({ query }) => findTools(index, { query, limit: 5 }, countTokens).budget.used);
  const saved = 100 * (1 - mean(used) / listing);
  return `tokens: ${listing} for the whole listing, ${Math.round(mean(used))} for an answer with five tools (${saved.toFixed(1)} % saved)`;
}

async function printSpeed(): Promise<void> {
  console.log('\nspeed, lexical, synthetic catalogues\ntools    index ms   (CPU)  memory MB  p50 ms  p95 ms');
  const queries = syntheticQueries(200);
  for (const count of [2_000, 20_000]) {
    const tools: SearchableTool[] = syntheticTools(count);
    globalThis.gc?.();
    const before = process.memoryUsage().rss;
    const start = performance.now();
    const cpu = process.cpuUsage();
    const system = lexical(tools);
    const { user, system: kernel } = process.cpuUsage(cpu);
    const indexMs = performance.now() - start;
    const memoryMb = (process.memoryUsage().rss - before) / 2 ** 20;
    for (const query of queries.slice(0, 20)) system.search([query]);
    const queryMs: number[] = [];
    for (const query of queries) queryMs.push((await ask(system, [query])).ms);
    const figures = [indexMs, (user + kernel) / 1_000, memoryMb, percentile(queryMs, 0.5), percentile(queryMs, 0.95)];
    console.log([String(count).padEnd(6), ...figures.map((value) => value.toFixed(1).padStart(9))].join(' '));
  }
}

function wholeQuestion({ query }: Question): readonly string[] {
  return [query];
}

function figure(value: number): string {
  return value.toFixed(3).replace(/^0/, '');
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
