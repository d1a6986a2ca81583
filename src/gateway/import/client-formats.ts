/** The clients whose configurations can be imported, in the order in which they are searched. */
export const CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const;

export type ClientId = (typeof CLIENTS)[number];

/** A client, or a file that the person names. */
export type SourceId = ClientId | 'file';

/** The id of our entry in a client's file. */
export const OWN_ID = 'bindery';

/** The environment variable from which client entries read their key. */
export const KEY_VARIABLE = 'BINDERY_KEY';

/** The command that creates a key and sets the variable: `keys create` prints only the key to stdout. */
export function setKeyCommand(name: string, scopes?: string): string {
  return `export ${KEY_VARIABLE}="$(bindery keys create ${name}${scopes === undefined ? '' : ` --scope ${scopes}`})"`;
}

/** How a client can reach the gateway. */
export interface GatewayAddress {
  readonly url: string;
  /** For clients that can only start programs. */
  readonly command: string;
  readonly args: readonly string[];
  /** Headers that the gateway requires, for HTTP clients. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The environment variable with the key that the gateway requires, if no header is given. No file contains the key itself. */
  readonly keyVariable?: string;
}

export interface ClientFormat {
  readonly syntax: 'json' | 'toml';
  /** The member with the servers. */
  readonly section: string;
  ownEntry(address: GatewayAddress): Readonly<Record<string, unknown>>;
  /** A link that makes the client add the entry itself. */
  readonly link?: (id: string, entry: Readonly<Record<string, unknown>>) => string;
}

/** The file format of each client; our entry uses the URL form if the client supports it. */
export const FORMATS: Readonly<Record<SourceId, ClientFormat>> = {
  'claude-desktop': {
    syntax: 'json',
    section: 'mcpServers',
    ownEntry: ({ command, args }) => ({ command, args }),
  },
  'claude-code': { syntax: 'json', section: 'mcpServers', ownEntry: (address) => typedUrl(address, braced) },
  cursor: {
    syntax: 'json',
    section: 'mcpServers',
    ownEntry: (address) => ({ url: address.url, ...headersOf(address, bracedEnv) }),
    link: (id, entry) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${id}&config=${encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString('base64'))}`,
  },
  vscode: {
    syntax: 'json',
    section: 'servers',
    ownEntry: (address) => typedUrl(address, bracedEnv),
    link: (id, entry) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: id, ...entry }))}`,
  },
  codex: {
    syntax: 'toml',
    section: 'mcp_servers',
    ownEntry: ({ url, headers, keyVariable }) => ({
      url,
      ...(headers ? { http_headers: headers } : keyVariable ? { bearer_token_env_var: keyVariable } : {}),
    }),
  },
  gemini: {
    syntax: 'json',
    section: 'mcpServers',
    ownEntry: (address) => ({ httpUrl: address.url, ...headersOf(address, braced) }),
  },
  windsurf: {
    syntax: 'json',
    section: 'mcpServers',
    ownEntry: (address) => ({ serverUrl: address.url, ...headersOf(address, bracedEnv) }),
  },
  file: { syntax: 'json', section: 'mcpServers', ownEntry: (address) => typedUrl(address, braced) },
};

/** The format of a file that the person names: TOML by its extension, else JSON with the section that it has. */
export function formatOfFile(file: string, text: string): ClientFormat {
  if (file.toLowerCase().endsWith('.toml')) return FORMATS.codex;
  return !/"mcpServers"\s*:/.test(text) && /"servers"\s*:/.test(text) ? FORMATS.vscode : FORMATS.file;
}

/** How a client refers to an environment variable. */
type Reference = (variable: string) => string;

function braced(variable: string): string {
  return `\${${variable}}`;
}

function bracedEnv(variable: string): string {
  return `\${env:${variable}}`;
}

function typedUrl(address: GatewayAddress, reference: Reference) {
  return { type: 'http', url: address.url, ...headersOf(address, reference) };
}

function headersOf({ headers, keyVariable }: GatewayAddress, reference: Reference) {
  if (headers) return { headers };
  return keyVariable ? { headers: { Authorization: `Bearer ${reference(keyVariable)}` } } : {};
}
