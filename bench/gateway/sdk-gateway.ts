import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** A gateway as one would write it with the SDK's client and server: no policy, no audit, one upstream. */
const upstream = new Client({ name: 'sdk-gateway', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
await upstream.connect(new StreamableHTTPClientTransport(new URL(process.argv[2] as string)));

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'sdk-gateway', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => {
    const { tools } = await upstream.listTools();
    return { tools: tools.map((tool) => ({ ...tool, name: `up__${tool.name}` })) };
  });
  server.setRequestHandler('tools/call', async (request) => {
    const { name, arguments: args } = request.params;
    return upstream.callTool({ name: name.replace(/^up__/, ''), arguments: args ?? {} });
  });
  return server;
});

const http = createServer(toNodeHandler(handler) as unknown as RequestListener);
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` })}\n`);
});
