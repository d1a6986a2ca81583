/** SHA-256 of the UTF-8 bytes of a text, as lower-case hex; given by the caller, so that this file needs no runtime. */
export type Sha256Hex = (text: string) => string;

export type NameStyle = 'qualified' | 'hashed';

const HASHED_PREFIX_MAX = 54;
const QUALIFIED_MAX = 64;
const QUALIFIED_PREFIX_MAX = 55;

/** The public name of a server's tool; it depends on nothing but these two names. */
export function publicToolName(server: string, tool: string, style: NameStyle, sha256Hex: Sha256Hex): string {
  return style === 'hashed' ? hashedToolName(server, tool, sha256Hex) : qualifiedToolName(server, tool, sha256Hex);
}

/** What every public name of a server's tools begins with. */
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
 * `<server>__<tool>` where that is a name that every model API accepts and that no other pair can spell; else its cleaned
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
