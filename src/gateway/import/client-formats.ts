/** The programs whose configurations can be moved behind the gateway, in the order in which they are looked for. */
export const CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const;

export type ClientId = (typeof CLIENTS)[number];

/** A client, or a file that the person names. */
export type SourceId = ClientId | 'file';

/** Our own place in a client's file. */
export const OWN_ID = 'bindery';

/** The environment variable from which entries of clients read their key. */
export const KEY_VARIABLE = 'BINDERY_KEY';

/** The command that makes a key and sets the variable: `keys create` prints the key alone to stdout. */
export function setKeyCommand(name: string, scopes?: string): string {
  return `export ${KEY_VARIABLE}="$(bindery keys create ${name}${scopes === undefined ? '' : ` --scope ${scopes}`})"`;
}

/** How a client can reach the gateway. */
export interface GatewayAddress {
  readonly url: string;
  /** For clients that only start programs. */
  readonly command: string;
  readonly args: readonly string[];
  /** Headers that the gateway wants, for clients that send requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The environment variable with the key that the gateway wants, where no header is given. The key itself is in no file. */
  readonly keyVariable?: string;
}

export interface ClientFormat {
  readonly syntax: 'json' | 'toml';
  /** The member that holds the servers. */
  readonly section: string;
  ownEntry(address: GatewayAddress): Readonly<Record<string, unknown>>;
  /** A link that has the client add the entry itself. */
  readonly link?: (id: string, entry: Readonly<Record<string, unknown>>) => string;
}

/** What each client's file looks like; our entry has the URL form wherever the client knows one. */
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

/** A file that the person names is read by what it is: TOML by its ending, else JSON with whichever section it has. */
export function formatOfFile(file: string, text: string): ClientFormat {
  if (file.toLowerCase().endsWith('.toml')) return FORMATS.codex;
  return !/"mcpServers"\s*:/.test(text) && /"servers"\s*:/.test(text) ? FORMATS.vscode : FORMATS.file;
}

/** How a client writes the value of an environment variable. */
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
