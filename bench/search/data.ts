import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SearchableTool } from '../../src/gateway/search/searchable-tool.ts';

/** A need of a question: a tool, or several of which one is enough. */
export type Need = string | readonly string[];
export interface Question {
  readonly query: string;
  readonly gold: readonly Need[];
  readonly steps?: readonly string[];
}
export interface QuestionSet {
  readonly name: string;
  readonly tools: readonly SearchableTool[];
  readonly questions: readonly Question[];
}

interface ToolLine {
  readonly id: string;
  readonly server?: string;
  readonly name: string;
  readonly description?: string | null;
  readonly params?: readonly { readonly name: string; readonly description?: string | null }[];
  readonly serverTitle?: string;
  readonly serverDescription?: string;
}

/** Reads a folder with a `tools.jsonl` and a `queries.jsonl`. */
export function readSet(folder: string): QuestionSet {
  return {
    name: basename(folder),
    tools: lines<ToolLine>(join(folder, 'tools.jsonl')).map(toTool),
    questions: lines<Question>(join(folder, 'queries.jsonl')),
  };
}

/** The folders of the public sets, if they are beside the repository. */
export function publicSets(): string[] {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const home = ['..', '../..']
    .map((up) => join(root, up, 'shared', 'data', 'tool-search'))
    .find((folder) => existsSync(folder));
  if (home === undefined) return [];
  return readdirSync(home)
    .sort()
    .map((name) => join(home, name))
    .filter((folder) => existsSync(join(folder, 'queries.jsonl')));
}

/**
 * Which half of a set a question is in: tuning uses `dev`, and `held-out` decides. The hash of the text selects the half,
 * so that no person chooses.
 */
export function halfOf({ query }: Question): 'dev' | 'held-out' {
  return (createHash('sha256').update(query).digest()[0] as number) % 2 === 0 ? 'dev' : 'held-out';
}

function toTool(line: ToolLine): SearchableTool {
  const properties = Object.fromEntries(
    (line.params ?? []).map(({ name, description }) => [name, { type: 'string', description: description ?? '' }]),
  );
  return {
    name: line.id,
    server: line.server ?? '',
    original_name: line.name,
    description: line.description ?? '',
    input_schema: { type: 'object', properties },
    serverTitle: line.serverTitle,
    serverDescription: line.serverDescription,
  };
}

function lines<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}
