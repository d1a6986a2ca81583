import { findNodeAtLocation, getNodeValue, type Node } from 'jsonc-parser';
import { LIMITS } from '../../contract/limits.ts';
import { toServerEntry } from '../../gateway/import/to-server-entry.ts';
import { parseJsonTree } from '../../libraries/json-tree.ts';

export type Scope = 'global' | 'project';

/** One parsed config file. */
export interface ConfigLayer {
  readonly scope: Scope;
  readonly file: string;
  /** Why the whole file cannot be used; undefined if it is valid or absent. */
  readonly error: string | undefined;
  readonly warnings: readonly string[];
  readonly version: unknown;
  readonly servers: ReadonlyMap<string, RawServer>;
  /** The text of the file, to report positions; empty if it is absent. */
  readonly text: string;
  /** The file as a value; `{}` if it is absent. */
  readonly value: Readonly<Record<string, unknown>>;
}

export interface RawServer {
  readonly value: unknown;
  /** The id occurs more than once in the file, so the entry is ambiguous. */
  readonly duplicate: boolean;
  /** Its path in the file. */
  readonly path: readonly string[];
  /** A remark for the user on how it is written. */
  readonly note?: string;
}

const EMPTY_FILE = 'the file is empty: put back what it had, or write {} if nothing is to be configured';

/** Parses a file; allows comments and trailing commas. Undefined text: the file does not exist. */
export function parseLayer(scope: Scope, file: string, text: string | undefined): ConfigLayer {
  const empty = {
    scope,
    file,
    error: undefined,
    warnings: [],
    version: undefined,
    servers: new Map(),
    text: '',
    value: {},
  };
  if (text === undefined) return empty;
  // A full disk or an interrupted save leaves an empty file, which must not silently remove every server.
  if (withoutBom(text).trim() === '') return { ...empty, error: EMPTY_FILE };
  const parsed = parseConfigText(text);
  if (parsed.error !== undefined) return { ...empty, error: parsed.error };
  const { root } = parsed;
  const defined = serverCount(root);
  // The user's own file has no limit.
  if (scope === 'project' && defined > LIMITS.projectServersMax)
    return { ...empty, error: `it defines ${defined} servers, and a project may define ${LIMITS.projectServersMax}` };
  const version = valueAt(root, ['version']);
  return {
    ...empty,
    version,
    warnings:
      version === undefined || version === 1
        ? []
        : ['version is not 1: the file is read as if it were, and not written'],
    servers: rawServers(root),
    text,
    value: getNodeValue(root),
  };
}

export type ParsedConfig =
  | { readonly root: Node; readonly error?: undefined }
  | { readonly root?: undefined; readonly error: string };

/** The last result, because at a start each room reads its section of the same file. */
let last: { readonly text: string; readonly parsed: ParsedConfig } | undefined;

/** The syntax tree of a config text, or why it cannot be parsed. */
export function parseConfigText(text: string): ParsedConfig {
  if (last?.text !== text) last = { text, parsed: parseSource(withoutBom(text)) };
  return last.parsed;
}

function parseSource(source: string): ParsedConfig {
  const { root, error } = parseJsonTree(source);
  if (error) return { error: `line ${lineOf(source, error.offset)}: ${error.message}` };
  if (root.type !== 'object') return { error: 'the file is not a JSON object' };
  for (const path of [[], ['mcp'], ['permissions']]) {
    const twice = duplicatedKeys(findNodeAtLocation(root, path))[0];
    if (twice !== undefined) return { error: `"${[...path, twice].join('.')}" stands twice in the file` };
  }
  for (const path of [['mcp'], ['mcp', 'servers']]) {
    const node = findNodeAtLocation(root, path);
    if (node && node.type !== 'object') return { error: `"${path.join('.')}" is not an object` };
  }
  return { root };
}

export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Ids that `mcp.servers` defines more than once. */
export function duplicateIds(root: Node): string[] {
  return duplicatedKeys(findNodeAtLocation(root, ['mcp', 'servers']));
}

function serverCount(root: Node): number {
  const sections = [['mcp', 'servers'], ['mcpServers']];
  return sections.reduce((sum, path) => sum + membersOf(findNodeAtLocation(root, path)).length, 0);
}

function rawServers(root: Node): Map<string, RawServer> {
  const duplicates = new Set(duplicateIds(root));
  const servers = new Map<string, RawServer>();
  for (const [id, node] of membersOf(findNodeAtLocation(root, ['mcp', 'servers']))) {
    servers.set(id, { value: getNodeValue(node), duplicate: duplicates.has(id), path: ['mcp', 'servers', id] });
  }
  for (const [id, server] of clientServers(root)) if (!servers.has(id)) servers.set(id, server);
  return servers;
}

/** Servers under `mcpServers`, the format of MCP clients, which users paste from a server's documentation. */
function clientServers(root: Node): [string, RawServer][] {
  const section = findNodeAtLocation(root, ['mcpServers']);
  const duplicates = new Set(duplicatedKeys(section));
  return membersOf(section).map(([id, node]) => {
    const written: unknown = getNodeValue(node);
    // The home folder is unknown here: a placeholder for it stays, and is reported as unknown.
    const { entry, reason } = toServerEntry('file', written, '');
    const note = `read from mcpServers${reason === null ? '' : ` (${reason})`}; Bindery writes servers under mcp.servers`;
    return [id, { value: entry ?? written, duplicate: duplicates.has(id), path: ['mcpServers', id], note }];
  });
}

function membersOf(node: Node | undefined): [string, Node][] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    return key && value ? [[String(key.value), value] as [string, Node]] : [];
  });
}

function duplicatedKeys(node: Node | undefined): string[] {
  const keys = node?.type === 'object' ? (node.children ?? []).map((property) => property.children?.[0]?.value) : [];
  const seen = new Set<string>();
  return [...new Set(keys.filter((key) => seen.size === seen.add(key).size))];
}

function valueAt(root: Node, path: string[]): unknown {
  const node = findNodeAtLocation(root, path);
  return node && getNodeValue(node);
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
