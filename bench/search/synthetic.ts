import type { SearchableTool } from '../../src/gateway/search/searchable-tool.ts';
import { seededRandom } from './measures.ts';

const VERBS =
  'get list create update delete search find send read write export import convert translate analyze generate book cancel merge compare'.split(
    ' ',
  );
const NOUNS =
  'file invoice ticket stock weather image video message note event user order page report table chart map route hotel recipe article paper package branch container song game card loan contract'.split(
    ' ',
  );
const FILLERS =
  'the a for with by from returns given optional specific matching latest detailed all new remote local shared recent'.split(
    ' ',
  );

/** A catalogue of `count` tools, twenty per server, the same in every run. */
export function syntheticTools(count: number): SearchableTool[] {
  const random = seededRandom(count);
  const one = (words: readonly string[]): string => words[Math.floor(random() * words.length)] as string;
  const jargon = Array.from(
    { length: 5_000 },
    (_, at) => `${one(NOUNS).slice(0, 3)}${one(VERBS).slice(0, 3)}${at.toString(36)}`,
  );
  return Array.from({ length: count }, (_, at) => {
    const server = `server${Math.floor(at / 20)}`;
    const name = `${one(VERBS)}_${one(NOUNS)}_${one(jargon)}`;
    const sentence = (length: number): string =>
      Array.from({ length }, () => one(random() < 0.4 ? FILLERS : random() < 0.7 ? NOUNS : jargon)).join(' ');
    const properties = Object.fromEntries(
      Array.from({ length: 4 }, () => [`${one(NOUNS)}_${one(NOUNS)}`, { type: 'string', description: sentence(6) }]),
    );
    return {
      name: `${server}__${at}_${name}`,
      server,
      original_name: name,
      description: `${one(VERBS)} ${sentence(22)}.`,
      input_schema: { type: 'object', properties },
      serverTitle: `${one(jargon)} ${one(NOUNS)}`,
      serverDescription: sentence(20),
    };
  });
}

/** Tasks of one to three sentences with words of the catalogue and of the rules. */
export function syntheticQueries(count: number): string[] {
  const random = seededRandom(11);
  const one = (words: readonly string[]): string => words[Math.floor(random() * words.length)] as string;
  const task = (): string =>
    `Please ${one(VERBS)} the ${one(NOUNS)} of my ${one(NOUNS)} from last week and ${one(VERBS)} a ${one(NOUNS)} with every ${one(NOUNS)}.`;
  return Array.from({ length: count }, (_, at) => {
    const tasks = Array.from({ length: 1 + (at % 3) }, task).join(' ');
    return at % 2 === 0
      ? tasks
      : `${tasks} Save it as a report in notes/summary-${at}.md and compare the stock prices of the past year.`;
  });
}
