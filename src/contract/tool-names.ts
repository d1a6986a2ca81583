/** SHA-256 of the UTF-8 bytes of a text, as lower-case hex; the caller passes it, so that this file needs no runtime. */
export type Sha256Hex = (text: string) => string;

export type NameStyle = 'qualified' | 'hashed';

const HASHED_PREFIX_MAX = 54;
const QUALIFIED_MAX = 64;
const QUALIFIED_PREFIX_MAX = 55;

/** The public name of a server's tool; it depends only on these two names. */
export function publicToolName(server: string, tool: string, style: NameStyle, sha256Hex: Sha256Hex): string {
  if (style === 'hashed') return hashedToolName(server, tool, sha256Hex);
  return plainToolName(server, tool) ?? qualifiedToolName(server, tool, sha256Hex);
}

/** The rooms of Bindery that are servers of every gateway. */
const BUILTIN_SERVERS: ReadonlySet<string> = new Set(['bind', 'civic', 'context']);
const ROOM_AND_VERB = /^([a-z]+)\.([a-z][a-z_]*)$/;

/**
 * The name of a built-in tool with the prefix of its room: `context_resolve` for `context.resolve`, because many clients accept no dots. No
 * other public name can be equal: they have two underscores after the server, or a hash. Undefined: the tool has an ordinary name.
 */
export function plainToolName(server: string, tool: string): string | undefined {
  const [, room, verb] = ROOM_AND_VERB.exec(tool) ?? [];
  if (room !== server || !BUILTIN_SERVERS.has(server) || verb?.includes('__')) return undefined;
  return `${room}_${verb}`;
}

/** Other names of a tool: for a built-in tool the one with a dot, and its former one with a hash. */
export function otherToolNames(server: string, tool: string, sha256Hex: Sha256Hex): readonly string[] {
  const plain = plainToolName(server, tool);
  return plain === undefined ? [] : [tool, plain, qualifiedToolName(server, tool, sha256Hex)];
}

/** The sort key of a tool in a list: its name. Of the tools that find context, the one to try first comes first. */
export function listingKey(name: string): string {
  return name === 'context_search' ? 'context_' : name;
}

/** The prefix of all public names of a server's tools. */
export function toolNamePrefix(server: string, style: NameStyle): string {
  return style === 'hashed'
    ? `mcp_${slug(server)}_`.slice(0, HASHED_PREFIX_MAX)
    : clean(`${server}__`).slice(0, QUALIFIED_PREFIX_MAX);
}

/** `mcp_<server>_<tool>_<hash8>`, at most 63 characters of `[a-z0-9_]`. */
export function hashedToolName(server: string, tool: string, sha256Hex: Sha256Hex): string {
  const prefix = `mcp_${slug(server)}_${slug(tool)}`.slice(0, HASHED_PREFIX_MAX);
  return `${prefix}_${hash8(server, tool, sha256Hex)}`;
}

/**
 * `<server>__<tool>` if every model API accepts that name and no other pair gives the same; else its cleaned
 * beginning and a hash, at most 64 characters.
 */
export function qualifiedToolName(server: string, tool: string, sha256Hex: Sha256Hex): string {
  const base = `${server}__${tool}`;
  const name = clean(base);
  const plain =
    name === base &&
    name.length <= QUALIFIED_MAX &&
    !server.includes('__') &&
    !server.endsWith('_') &&
    !/_[0-9a-f]{8}$/.test(name);
  return plain ? name : `${name.slice(0, QUALIFIED_PREFIX_MAX)}_${hash8(server, tool, sha256Hex)}`;
}

function clean(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '_');
}

/** First eight hex digits over `server:tool`, original names. */
export function hash8(server: string, tool: string, sha256Hex: Sha256Hex): string {
  return sha256Hex(`${server}:${tool}`).slice(0, 8);
}

function slug(name: string): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  return words === '' ? 'tool' : words;
}
