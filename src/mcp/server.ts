import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { createToolset, type ToolCallContext, type ToolsetOptions } from './toolset.ts';

export interface McpServerOptions extends ToolsetOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  /** Address of the peer that sent an HTTP request, if the server under the handler knows it. */
  peerAddress?(request: Request): string | undefined;
}

/** Operations → an MCP server. The SDK entry point that serves it handles both revisions of the protocol. */
export function createMcpServer(options: McpServerOptions): Server {
  const toolset = createToolset(options);
  const server = new Server(
    { name: options.name, version: options.version },
    { capabilities: { tools: {} }, ...(options.instructions ? { instructions: options.instructions } : {}) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolset.tools as unknown as Tool[] }));
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    if (!toolset.has(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return (await toolset.call(name, args, callContext(context, options))) as CallToolResult;
  });
  return server;
}

function callContext(context: ServerContext, options: McpServerOptions): ToolCallContext {
  const request = context.http?.req;
  const token = context.mcpReq._meta?.progressToken;
  return {
    signal: context.mcpReq.signal,
    header: (name) => request?.headers.get(name) ?? undefined,
    peerAddress: request && options.peerAddress?.(request),
    progress: (progress, total, message) => {
      if (token === undefined) return;
      const params = {
        progressToken: token,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message ? { message } : {}),
      };
      // A disconnected client needs no progress; the signal cancels its call.
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}
