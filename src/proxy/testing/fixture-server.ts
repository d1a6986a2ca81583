import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A server with one tool for each behaviour that a proxy could break. */
export function createFixtureServer(name = 'fixture'): McpServer {
  const server = new McpServer(
    { name, version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, logging: {} }, instructions: 'A fixture.' },
  );
  server.registerTool(
    'echo',
    {
      description: 'Gives the text back.',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ text }) => ({
      content: [{ type: 'text', text }],
    }),
  );
  server.registerTool('fail', { description: 'Fails in its own way.', inputSchema: z.object({}) }, async () => ({
    content: [{ type: 'text', text: 'no luck' }],
    isError: true,
  }));
  server.registerTool(
    'slow',
    {
      description: 'Reports progress, then answers.',
      inputSchema: z.object({ steps: z.number().int(), pauseMs: z.number().int() }),
    },
    async ({ steps, pauseMs }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (let step = 1; step <= steps; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        context.mcpReq.signal.throwIfAborted();
        if (progressToken !== undefined)
          await context.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress: step, total: steps },
          });
      }
      return { content: [{ type: 'text', text: `${steps} steps` }] };
    },
  );
  server.registerPrompt(
    'greet',
    { description: 'A greeting.', argsSchema: z.object({ who: z.string() }) },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }] }),
  );
  server.registerResource('note', 'note://1', { description: 'A note.' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'a note' }],
  }));
  return server;
}

export interface RunningFixture {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves revision 2026-07-28 (and 2025 without sessions if `legacy` allows it). */
export async function startModernFixture(
  create: () => McpServer = () => createFixtureServer(),
  legacy: 'stateless' | 'reject' = 'reject',
): Promise<RunningFixture> {
  const handler = createMcpHandler(create, { legacy });
  return listening(createServer(toNodeHandler(handler) as unknown as RequestListener));
}

/** Serves revision 2025-11-25 with sessions. */
export async function startSessionFixture(
  create: () => McpServer = () => createFixtureServer(),
): Promise<RunningFixture> {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>();
  return listening(
    createServer(async (request, response) => {
      const id = request.headers['mcp-session-id'];
      let transport = typeof id === 'string' ? transports.get(id) : undefined;
      if (!transport && typeof id === 'string') {
        response.writeHead(404).end();
        return;
      }
      if (!transport) {
        transport = new NodeStreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (session) => {
            transports.set(session, transport as NodeStreamableHTTPServerTransport);
          },
        });
        await create().connect(transport);
      }
      await transport.handleRequest(request, response);
    }),
  );
}

async function listening(server: HttpServer): Promise<RunningFixture> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
