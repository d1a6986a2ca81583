import { SEARCH_LIMITS } from '../../src/gateway/search/limits.ts';
import { rankTools } from '../../src/gateway/search/ranking/rank-tools.ts';
import { ToolIndex } from '../../src/gateway/search/ranking/tool-index.ts';
import type { SearchableTool } from '../../src/gateway/search/searchable-tool.ts';
import type { ClosableEncoder, Encoder } from '../../src/gateway/search/vectors/encoder.ts';
import { ToolVectors } from '../../src/gateway/search/vectors/tool-vectors.ts';
import { openMiniLmEncoder } from '../../src/store/search/minilm-encoder.ts';
import type { Question } from './data.ts';

export interface SearchSystem {
  readonly name: 'plain-bm25' | 'lexical' | 'semantic';
  /** The names of the best tools for the queries of one question. */
  search(queries: readonly string[]): string[] | Promise<string[]>;
}

const NAMES_MAX = 10;

/** BM25 over the words of all texts together (k1 1.2, b .75), as the baseline. */
export function plainBm25(tools: readonly SearchableTool[]): SearchSystem {
  const documents = tools.map((tool) => words(textOf(tool)));
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const postings = new Map<string, Map<number, number>>();
  for (const [at, document] of documents.entries()) {
    for (const word of document) {
      const posting = postings.get(word) ?? new Map<number, number>();
      posting.set(at, (posting.get(at) ?? 0) + 1);
      postings.set(word, posting);
    }
  }
  const search = (queries: readonly string[]): string[] => {
    const scores = new Map<number, number>();
    for (const word of queries.flatMap(words)) {
      const posting = postings.get(word);
      if (!posting) continue;
      const idf = Math.log(1 + (documents.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [at, frequency] of posting) {
        const length = (documents[at] as string[]).length;
        const score = (idf * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * length) / average));
        scores.set(at, (scores.get(at) ?? 0) + score);
      }
    }
    const best = [...scores].sort(([a, x], [b, y]) => y - x || a - b).slice(0, NAMES_MAX);
    return best.map(([at]) => (tools[at] as SearchableTool).name);
  };
  return { name: 'plain-bm25', search };
}

export function lexical(tools: readonly SearchableTool[]): SearchSystem {
  const index = indexTools(tools);
  return { name: 'lexical', search: (queries) => namesOf(rankTools(index, queries)) };
}

export async function semantic(tools: readonly SearchableTool[], model: Encoder): Promise<SearchSystem> {
  const index = indexTools(tools);
  const vectors = new ToolVectors(model);
  vectors.follow(tools);
  await vectors.build();
  const search = async (queries: readonly string[]): Promise<string[]> =>
    namesOf(rankTools(index, queries, { semantics: await vectors.ask(queries) }));
  return { name: 'semantic', search };
}

/** A model with a cache of its vectors; while `isTimed`, questions are encoded again. */
export class RememberingEncoder implements Encoder {
  readonly id: string;
  readonly #encoder: ClosableEncoder;
  readonly #known = new Map<string, Int8Array>();
  isTimed = false;

  constructor(encoder: ClosableEncoder) {
    this.id = encoder.id;
    this.#encoder = encoder;
  }

  async encode(texts: readonly string[]): Promise<Int8Array[]> {
    const unknown = this.isTimed ? texts : texts.filter((text) => !this.#known.has(text));
    if (unknown.length > 0) {
      const made = await this.#encoder.encode(unknown);
      for (const [at, text] of unknown.entries()) this.#known.set(text, made[at] as Int8Array);
    }
    return texts.map((text) => this.#known.get(text) as Int8Array);
  }

  close(): Promise<void> {
    return this.#encoder.close();
  }
}

/** The model, if its packages are installed: beside Bindery, or in another `node_modules` folder. */
export async function openModel(packagesFolder: string | undefined): Promise<RememberingEncoder | undefined> {
  try {
    return new RememberingEncoder(await openMiniLmEncoder({ packagesFolder }));
  } catch {
    return undefined;
  }
}

/** The tools of a set as if each had been used several times after other questions of the set. */
export function withPastQueries(
  tools: readonly SearchableTool[],
  past: readonly Question[],
  perTool: number,
): SearchableTool[] {
  const queries = new Map<string, string[]>();
  for (const { query, gold } of past) {
    for (const name of gold.flat()) {
      const known = queries.get(name) ?? [];
      if (known.length < perTool) queries.set(name, [...known, query.slice(0, SEARCH_LIMITS.learnedQueryCharsMax)]);
    }
  }
  return tools.map((tool) => ({ ...tool, learnedQueries: queries.get(tool.name) }));
}

export function indexTools(tools: readonly SearchableTool[]): ToolIndex {
  const index = new ToolIndex();
  for (const [server, ofServer] of Map.groupBy(tools, ({ server }) => server)) index.replaceServer(server, ofServer);
  return index;
}

function namesOf({ tools }: { tools: readonly { tool: SearchableTool }[] }): string[] {
  return tools.slice(0, NAMES_MAX).map(({ tool }) => tool.name);
}

function textOf(tool: SearchableTool): string {
  const properties = Object.entries((tool.input_schema.properties ?? {}) as Record<string, { description?: string }>);
  const parameters = properties.map(([name, { description }]) => `${name} ${description ?? ''}`).join(' ');
  return [tool.original_name, tool.description, tool.serverTitle, tool.serverDescription, parameters].join(' ');
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
