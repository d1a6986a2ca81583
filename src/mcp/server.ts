import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { BinderyError } from '../contract/errors.ts';
import { toBinderyError } from '../contract/errors.ts';
import { execute } from '../contract/execute.ts';
import type { AnyOperation, BoundRoom, Call, McpFace } from '../contract/operation.ts';
import type { Log } from '../contract/ports.ts';
import { toProblem } from '../contract/problem.ts';
import { inputSchemaOf } from '../contract/text-input.ts';

export interface McpServerOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly rooms: readonly BoundRoom[];
  readonly log: Log;
  newRequestId(): string;
  /** Address of the peer that sent an HTTP request, where the server under the handler knows it. */
  peerAddress?(request: Request): string | undefined;
}

interface BoundTool {
  readonly operation: AnyOperation;
  readonly face: McpFace<unknown>;
  readonly deps: unknown;
}

/** Operations → an MCP server. Both revisions of the protocol come from the SDK entry that serves it. */
export function createMcpServer(options: McpServerOptions): Server {
  const tools = toolsByName(options.rooms);
  const listed = [...tools.values()].map(describeTool);
  const server = new Server(
    { name: options.name, version: options.version },
    { capabilities: { tools: {} }, ...(options.instructions ? { instructions: options.instructions } : {}) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: listed }));
  server.setRequestHandler('tools/call', (request, context) => {
    const tool = tools.get(request.params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${request.params.name}`);
    return callTool(tool, request.params.arguments ?? {}, context, options);
  });
  return server;
}

function toolsByName(rooms: readonly BoundRoom[]): Map<string, BoundTool> {
  const tools = new Map<string, BoundTool>();
  for (const { room, deps } of rooms) {
    for (const operation of room.operations) {
      if (operation.mcp) tools.set(operation.mcp.tool, { operation, face: operation.mcp, deps });
    }
  }
  return tools;
}

function describeTool({ operation, face }: BoundTool) {
  return {
    name: face.tool,
    description: operation.description ?? operation.summary,
    inputSchema: inputSchemaOf(operation.input) as { type: 'object' },
    annotations: {
      readOnlyHint: operation.hints.readOnly,
      destructiveHint: operation.hints.destructive,
      idempotentHint: operation.hints.idempotent,
      openWorldHint: operation.hints.openWorld,
    },
  };
}

async function callTool(
  tool: BoundTool,
  raw: unknown,
  context: ServerContext,
  options: McpServerOptions,
): Promise<CallToolResult> {
  const { operation, face, deps } = tool;
  const requestId = options.newRequestId();
  try {
    const { output, text } = await execute(operation, raw, deps, mcpCall(requestId, context, options));
    const meta = face.meta?.(output);
    return {
      content: [{ type: 'text', text }],
      ...(face.structured !== false && isObject(output) ? { structuredContent: output } : {}),
      ...(face.isError?.(output) ? { isError: true } : {}),
      ...(meta ? { _meta: meta } : {}),
    };
  } catch (thrown) {
    const error = toBinderyError(thrown, operation.failures.internal);
    if (error.code === operation.failures.internal) {
      options.log.error('tool failed', { tool: face.tool, request_id: requestId, error: error.cause });
    }
    return failedResult(operation, error, requestId);
  }
}

function failedResult(operation: AnyOperation, error: BinderyError, requestId: string): CallToolResult {
  if (operation.failures.toolText) {
    return { content: [{ type: 'text', text: operation.failures.toolText(error) }], isError: true };
  }
  const problem = toProblem(error, requestId, operation.failures);
  return { content: [{ type: 'text', text: JSON.stringify(problem) }], structuredContent: problem, isError: true };
}

function mcpCall(requestId: string, context: ServerContext, options: McpServerOptions): Call {
  const request = context.http?.req;
  const token = context.mcpReq._meta?.progressToken;
  return {
    face: 'mcp',
    requestId,
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
      // A client that went away needs no progress; its call is cancelled through the signal.
      context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
