import type { BinderyError } from '../contract/errors.ts';
import { isStoreFailure, toBinderyError } from '../contract/errors.ts';
import { execute } from '../contract/execute.ts';
import { isObject } from '../contract/json.ts';
import type { AnyOperation, BoundRoom, Call, McpFace } from '../contract/operation.ts';
import type { Log } from '../contract/ports.ts';
import { toProblem } from '../contract/problem.ts';
import { type InputSchema, inputSchemaOf } from '../contract/text-input.ts';

export interface ToolsetOptions {
  readonly rooms: readonly BoundRoom[];
  readonly log: Log;
  newRequestId(): string;
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** The result of a tool, independent of the transport. */
export interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** The context of a tool call. */
export type ToolCallContext = Pick<Call, 'signal' | 'header' | 'peerAddress' | 'progress'>;

/** Operations as tools: described once, called by name. */
export interface Toolset {
  readonly tools: readonly ToolDescription[];
  has(name: string): boolean;
  call(name: string, args: unknown, context: ToolCallContext): Promise<ToolResult>;
}

interface BoundTool {
  readonly operation: AnyOperation;
  readonly face: McpFace<unknown>;
  readonly deps: unknown;
}

/** Operations → tools, for servers with or without a transport. */
export function createToolset(options: ToolsetOptions): Toolset {
  const tools = new Map<string, BoundTool>();
  for (const { room, deps } of options.rooms) {
    for (const operation of room.operations) {
      if (operation.mcp) tools.set(operation.mcp.tool, { operation, face: operation.mcp, deps });
    }
  }
  return {
    tools: [...tools.values()].map(describeTool),
    has: (name) => tools.has(name),
    call: (name, args, context) => callTool(tools.get(name) as BoundTool, args, context, options),
  };
}

function describeTool({ operation, face }: BoundTool): ToolDescription {
  return {
    name: face.tool,
    description: operation.description ?? operation.summary,
    inputSchema: inputSchemaOf(operation.input),
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
  context: ToolCallContext,
  options: ToolsetOptions,
): Promise<ToolResult> {
  const { operation, face, deps } = tool;
  const requestId = options.newRequestId();
  try {
    const { output, text } = await execute(operation, raw, deps, { ...context, face: 'mcp', requestId });
    const meta = face.meta?.(output);
    return {
      content: [{ type: 'text', text }],
      ...(face.structured !== false && isObject(output) ? { structuredContent: output } : {}),
      ...(face.isError?.(output) ? { isError: true } : {}),
      ...(meta ? { _meta: meta } : {}),
    };
  } catch (thrown) {
    const error = toBinderyError(thrown, operation.failures.internal);
    if (error.code === operation.failures.internal || isStoreFailure(error.cause)) {
      options.log.error('tool failed', { tool: face.tool, request_id: requestId, error: error.cause });
    }
    return failedResult(operation, error, requestId);
  }
}

function failedResult(operation: AnyOperation, error: BinderyError, requestId: string): ToolResult {
  if (operation.failures.toolText) {
    return { content: [{ type: 'text', text: operation.failures.toolText(error) }], isError: true };
  }
  const problem = toProblem(error, requestId, operation.failures);
  const meta = operation.failures.toolMeta?.(error);
  return {
    content: [{ type: 'text', text: JSON.stringify(problem) }],
    structuredContent: problem,
    isError: true,
    ...(meta ? { _meta: meta } : {}),
  };
}
