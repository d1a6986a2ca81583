import type { JsonObject } from '../../contract/json.ts';
import { memberOf } from './parse-line.ts';

/** What can be completed now. */
export interface Completions {
  readonly serverIds: readonly string[];
  /** `server/tool` and the host's own tools, with their schemas. */
  readonly tools: readonly { readonly name: string; readonly schema: JsonObject }[];
  /** `server/prompt` with the names of its arguments. */
  readonly prompts: readonly { readonly name: string; readonly args: readonly string[] }[];
}

export const COMMANDS = ['/mcp', '/tools', '/prompts', '/help', '/quit'];
const MCP_VERBS = ['logs', 'reconnect', 'reload'];

/** Completions of the last word of a line, in the form for readline: the matches, and the word. */
export function completeLine(line: string, { serverIds, tools, prompts }: Completions): [string[], string] {
  const words = line.trimStart().split(/\s+/);
  const word = words.at(-1) ?? '';
  const first = words[0] ?? '';
  const among = (candidates: readonly string[]): [string[], string] => [
    candidates.filter((candidate) => candidate.startsWith(word)),
    word,
  ];
  if (words.length === 1) return among([...COMMANDS, ...tools.map(({ name }) => `${name} `)]);
  if (first === '/mcp') return among(words.length === 2 ? [...serverIds, ...MCP_VERBS] : serverIds);
  if (first === '/tools') return among(serverIds);
  if (first === '/prompts' && words.length === 2)
    return among([...serverIds, ...prompts.map(({ name }) => `${name} `)]);
  if (first === '/prompts') {
    const prompt = prompts.find(({ name }) => name === words[1]);
    return among((prompt?.args ?? []).map((name) => `${name}=`));
  }
  const tool = tools.find(({ name }) => name === first);
  return tool ? among(argumentWords(tool.schema, words.slice(1, -1), word)) : [[], word];
}

/** `name=` for missing arguments, required ones first; `name=value` if the values are known. */
function argumentWords(schema: JsonObject, given: readonly string[], word: string): string[] {
  const properties = typeof schema.properties === 'object' && schema.properties !== null ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(properties).sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  const equals = word.indexOf('=');
  if (equals > 0) {
    const name = word.slice(0, equals);
    return knownValues(memberOf(properties, name)).map((value) => `${name}=${value}`);
  }
  return names.filter((name) => !given.some((one) => one.startsWith(`${name}=`))).map((name) => `${name}=`);
}

function knownValues(schema: JsonObject | undefined): string[] {
  if (Array.isArray(schema?.enum)) return schema.enum.map(String);
  return schema?.type === 'boolean' ? ['true', 'false'] : [];
}
