import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** A gateway as one would write it with the SDK's client and server: no policy, no audit. Arguments: `name=url` or `name=command`. */
const upstreams = new Map<string, Client>();
for (const argument of process.argv.slice(2)) {
  const at = argument.indexOf('=');
  const [name, target] = [argument.slice(0, at), argument.slice(at + 1)];
  const client = new Client({ name: 'sdk-gateway', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const [command = '', ...args] = target.split(' ');
  await client.connect(
    target.startsWith('http')
      ? new StreamableHTTPClientTransport(new URL(target))
      : new StdioClientTransport({ command, args }),
  );
  upstreams.set(name, client);
}

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'sdk-gateway', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => {
    const lists = await Promise.all(
      [...upstreams].map(async ([server, client]) => {
        const { tools } = await client.listTools();
        return tools.map((tool) => ({ ...tool, name: `${server}__${tool.name}` }));
      }),
    );
    return { tools: lists.flat() };
  });
  server.setRequestHandler('tools/call', async (request) => {
    const { name, arguments: args } = request.params;
    const at = name.indexOf('__');
    const upstream = upstreams.get(name.slice(0, at));
    if (!upstream) throw new Error(`no server of ${name}`);
    return upstream.callTool({ name: name.slice(at + 2), arguments: args ?? {} });
  });
  return server;
});

const http = createServer(toNodeHandler(handler) as unknown as RequestListener);
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` })}\n`);
});
