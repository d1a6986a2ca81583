import { BinderyError } from '../../contract/errors.ts';
import { parseExactJson } from '../../contract/exact-json.ts';
import { type JsonObject, parseJson } from '../../contract/json.ts';

export type ShellLine =
  | { readonly kind: 'empty' }
  | { readonly kind: 'command'; readonly name: string; readonly words: readonly string[] }
  | { readonly kind: 'call'; readonly tool: string; readonly args: JsonObject }
  | { readonly kind: 'wrong'; readonly message: string };

/** Looks up the schema for the types of arguments; unknown arguments are strings. */
export type SchemaOf = (tool: string) => JsonObject | undefined;

/** `/mcp …` is a command; `server/tool {json}` and `server/tool name=value …` are calls. */
export function parseLine(line: string, schemaOf: SchemaOf): ShellLine {
  const trimmed = line.trim();
  if (trimmed === '') return { kind: 'empty' };
  if (trimmed.startsWith('/')) {
    const [name = '', ...words] = trimmed.slice(1).split(/\s+/);
    return { kind: 'command', name, words };
  }
  const [, tool = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(trimmed) ?? [];
  if (rest.startsWith('{')) return parseJsonCall(tool, rest);
  const pairs = splitPairs(rest);
  if (pairs === undefined)
    return { kind: 'wrong', message: 'arguments are written as name=value or as one JSON object' };
  const properties = schemaOf(tool)?.properties;
  try {
    const args = pairs.map(([name, text]) => [name, typedValue(text, memberOf(properties, name))] as const);
    return { kind: 'call', tool, args: Object.fromEntries(args) };
  } catch (thrown) {
    return wrongNumber(thrown);
  }
}

/** Refuses a number that would lose precision. */
function wrongNumber(thrown: unknown): ShellLine {
  if (!(thrown instanceof BinderyError)) throw thrown;
  return { kind: 'wrong', message: thrown.detail ?? thrown.message };
}

function parseJsonCall(tool: string, text: string): ShellLine {
  try {
    return { kind: 'call', tool, args: parseExactJson(text) as JsonObject };
  } catch (thrown) {
    if (thrown instanceof BinderyError) return wrongNumber(thrown);
    return { kind: 'wrong', message: 'the arguments are not a JSON object' };
  }
}

/** `a=1 b="two words"`; undefined if anything else is there. */
export function splitPairs(text: string): [string, string][] | undefined {
  const pairs: [string, string][] = [];
  const pattern = /\s*([^\s=]+)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/gy;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    pairs.push([match[1] as string, match[2] as string]);
    end = match.index + match[0].length;
  }
  return text.slice(end).trim() === '' ? pairs : undefined;
}

/** The content of a quoted text. */
export function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (!text.startsWith('"')) return text;
  const value = parseJson(text);
  return typeof value === 'string' ? value : text.slice(1, -1);
}

function typedValue(text: string, schema: JsonObject | undefined): unknown {
  if (text.startsWith("'")) return text.slice(1, -1);
  const type = schema?.type;
  const isText = type === undefined || type === 'string';
  if (text.startsWith('"')) return parseJson(text) ?? text.slice(1, -1);
  if (isText || parseJson(text) === undefined) return text;
  return parseExactJson(text);
}

export function memberOf(properties: unknown, name: string): JsonObject | undefined {
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined;
  const member = (properties as Record<string, unknown>)[name];
  return typeof member === 'object' && member !== null ? (member as JsonObject) : undefined;
}
