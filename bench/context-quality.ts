// How often the right page is found: questions over a documentation set, answered by context.search, context.resolve, SQLite FTS5 and
// MiniSearch. `--docs DIR --questions FILE` takes another set; the file is a list of { question, pages } with paths below the folder.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createCacheBuilder } from '../src/store/context/build-cache.ts';
import { openCacheFolder } from '../src/store/context/open-cache.ts';
import { type FoundPages, openWays, TOKENS, type Way } from './context-quality/ways.ts';

const Questions = z.array(z.strictObject({ question: z.string().min(1), pages: z.array(z.string()).min(1) })).min(1);
type Question = z.infer<typeof Questions>[number];

const { values } = parseArgs({ options: { docs: { type: 'string' }, questions: { type: 'string' } } });
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bindery-quality-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const questions = Questions.parse(
    JSON.parse(readFileSync(values.questions ?? here('context-quality/questions.json'), 'utf8')),
  );
  const cache = join(folder, 'cache');
  const builder = createCacheBuilder({ now: () => 0 });
  const request = { sources: values.docs ?? ownSet(), cache, force: false, incremental: false, gitignore: false };
  const { document_count } = await builder.build(request, new AbortController().signal, () => {});
  const { table } = openCacheFolder(cache);
  const pages = new Set(Array.from({ length: table.count }, (_, index) => table.id(index)));
  const unknown = questions.flatMap((question) => question.pages).filter((page) => !pages.has(page));
  if (unknown.length > 0) throw new Error(`the set has no page ${unknown.join(', ')}`);
  const { ways, sections } = await openWays(cache);
  console.log(
    `${questions.length} questions over ${document_count.toLocaleString('en')} pages in ${sections.toLocaleString('en')} sections.\n`,
  );
  console.log(
    `| way | right page first | among the first 5 | mean reciprocal rank | within ${TOKENS.toLocaleString('en')} tokens |`,
  );
  console.log('|---|--:|--:|--:|--:|');
  for (const way of ways) console.log(await row(way, questions));
}

/** The project's own documentation, its sample handbook, and some pages in other languages. */
function ownSet(): string {
  const set = join(folder, 'set');
  cpSync(here('../docs'), set, { recursive: true });
  cpSync(here('../samples/handbook'), join(set, 'handbook'), { recursive: true });
  cpSync(here('context-quality/pages'), join(set, 'pages'), { recursive: true });
  return set;
}

async function row({ name, find }: Way, questions: readonly Question[]): Promise<string> {
  const found: { question: Question; pages: FoundPages }[] = [];
  for (const question of questions) found.push({ question, pages: await find(question.question) });
  const rankOf = ({ question, pages }: (typeof found)[number]) =>
    pages.ranked.findIndex((page) => question.pages.includes(page)) + 1;
  const ranks = found.map(rankOf);
  const share = (isRight: (rank: number) => boolean) =>
    `${Math.round((100 * ranks.filter(isRight).length) / ranks.length)} %`;
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length;
  const within = found.filter(({ question, pages }) => question.pages.some((page) => pages.fitting.has(page))).length;
  return `| ${name} | ${share((rank) => rank === 1)} | ${share((rank) => rank >= 1 && rank <= 5)} | ${reciprocal.toFixed(2)} | ${Math.round((100 * within) / found.length)} % |`;
}
