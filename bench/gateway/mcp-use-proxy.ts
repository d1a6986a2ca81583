import { tmpdir } from 'node:os';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * A gateway as one would write it with mcp-use: its server, which composes others. Arguments: port, folder of the installed package,
 * address of the server behind it. Its own client package is optional; the SDK's client replaces it.
 */
const [port, installed = '', upstream = ''] = process.argv.slice(2);
const { MCPServer } = (await import(installed)) as {
  MCPServer: new (info: object) => { proxy(connection: object): Promise<void>; listen(port: number): Promise<unknown> };
};
// It writes a file to its working directory.
process.chdir(tmpdir());
const client = new Client({ name: 'mcp-use-proxy', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
await client.connect(new StreamableHTTPClientTransport(new URL(upstream)));
const server = new MCPServer({ name: 'mcp-use-proxy', version: '1.0.0' });
const none = () => Promise.reject(new Error('it has tools alone'));
await server.proxy({
  info: { server: { name: 'json' } },
  supports: (capability: string) => capability === 'tools',
  listTools: async () => (await client.listTools()).tools,
  callTool: (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args }),
  readResource: none,
  listPrompts: none,
  getPrompt: none,
});
await server.listen(Number(port));
