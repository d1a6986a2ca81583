const VARIABLE = 'BINDERY_KEY';
const BRACED = `\${${VARIABLE}}`;
const BRACED_ENV = `\${env:${VARIABLE}}`;

/** The entry of each client for one endpoint, and how it reads the key from the environment if the gateway needs one. */
export const CLIENTS: readonly {
  readonly name: string;
  /** The name of its key; absent for a client that starts `bindery stdio`. */
  readonly key?: string;
  readonly snippet: (url: string, keyNeeded: boolean) => string;
}[] = [
  {
    name: 'Claude Code',
    key: 'claude-code',
    snippet: (url, keyNeeded) =>
      `claude mcp add --transport http bindery ${url}${keyNeeded ? ` --header 'Authorization: Bearer ${BRACED}'` : ''}`,
  },
  {
    name: 'Claude Desktop',
    snippet: () => json({ mcpServers: { bindery: { command: 'npx', args: ['-y', 'mcp-bindery', 'stdio'] } } }),
  },
  {
    name: 'Cursor',
    key: 'cursor',
    snippet: (url, keyNeeded) => json({ mcpServers: { bindery: { url, ...headers(keyNeeded, BRACED_ENV) } } }),
  },
  {
    name: 'VS Code',
    key: 'vscode',
    snippet: (url, keyNeeded) =>
      json({ servers: { bindery: { type: 'http', url, ...headers(keyNeeded, BRACED_ENV) } } }),
  },
  {
    name: 'Codex',
    key: 'codex',
    snippet: (url, keyNeeded) =>
      `[mcp_servers.bindery]\nurl = "${url}"${keyNeeded ? `\nbearer_token_env_var = "${VARIABLE}"` : ''}`,
  },
  {
    name: 'Gemini CLI',
    key: 'gemini',
    snippet: (url, keyNeeded) => json({ mcpServers: { bindery: { httpUrl: url, ...headers(keyNeeded, BRACED) } } }),
  },
];

function headers(keyNeeded: boolean, reference: string) {
  return keyNeeded ? { headers: { Authorization: `Bearer ${reference}` } } : {};
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The command that makes a key and sets the variable. */
export function makeKey(name: string): string {
  return `export ${VARIABLE}="$(bindery keys create ${name})"`;
}
