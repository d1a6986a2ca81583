/** The programs whose configurations can be moved behind the gateway, in the order in which they are looked for. */
export const CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini', 'windsurf'] as const;

export type ClientId = (typeof CLIENTS)[number];

/** A client, or a file that the person names. */
export type SourceId = ClientId | 'file';

/** Our own place in a client's file. */
export const OWN_ID = 'bindery';

/** How a client can reach the gateway. */
export interface GatewayAddress {
  readonly url: string;
  /** For clients that only start programs. */
  readonly command: string;
  readonly args: readonly string[];
}

export interface ClientFormat {
  readonly syntax: 'json' | 'toml';
  /** The member that holds the servers. */
  readonly section: string;
  ownEntry(address: GatewayAddress): Readonly<Record<string, unknown>>;
}

/** What each client's file looks like; our entry has the URL form wherever the client knows one. */
export const FORMATS: Readonly<Record<SourceId, ClientFormat>> = {
  'claude-desktop': {
    syntax: 'json',
    section: 'mcpServers',
    ownEntry: ({ command, args }) => ({ command, args }),
  },
  'claude-code': { syntax: 'json', section: 'mcpServers', ownEntry: typedUrl },
  cursor: { syntax: 'json', section: 'mcpServers', ownEntry: ({ url }) => ({ url }) },
  vscode: { syntax: 'json', section: 'servers', ownEntry: typedUrl },
  codex: { syntax: 'toml', section: 'mcp_servers', ownEntry: ({ url }) => ({ url }) },
  gemini: { syntax: 'json', section: 'mcpServers', ownEntry: ({ url }) => ({ httpUrl: url }) },
  windsurf: { syntax: 'json', section: 'mcpServers', ownEntry: ({ url }) => ({ serverUrl: url }) },
  file: { syntax: 'json', section: 'mcpServers', ownEntry: typedUrl },
};

/** A file that the person names is read by what it is: TOML by its ending, else JSON with whichever section it has. */
export function formatOfFile(file: string, text: string): ClientFormat {
  if (file.toLowerCase().endsWith('.toml')) return FORMATS.codex;
  return !/"mcpServers"\s*:/.test(text) && /"servers"\s*:/.test(text) ? FORMATS.vscode : FORMATS.file;
}

function typedUrl({ url }: GatewayAddress) {
  return { type: 'http', url };
}
