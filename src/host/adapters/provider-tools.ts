import { isObject, type JsonObject } from '../../contract/json.ts';
import type { HostTool } from './host-tool.ts';
import { providerSchema } from './provider-schema.ts';
import { describePart, type ResultPart, type ToolResult } from './tool-result.ts';

export interface OpenAiTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonObject;
    readonly strict: false;
  };
}

/** The `tools` of a chat completion request. */
export function openAiTools(tools: readonly HostTool[]): OpenAiTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters: providerSchema(parameters), strict: false },
  }));
}

/** The message that answers a tool call of a chat completion. */
export function openAiResult(toolCallId: string, result: ToolResult) {
  return { role: 'tool' as const, tool_call_id: toolCallId, content: result.text };
}

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

/** The `tools` of a messages request. */
export function anthropicTools(tools: readonly HostTool[]): AnthropicTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: withPlainKeys(providerSchema(parameters)),
  }));
}

/** The API rejects a request with a property name outside of its character set; such a property is named in the description instead. */
function withPlainKeys(schema: JsonObject): JsonObject {
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  const [plain, odd] = [true, false].map((is) => properties.filter(([name]) => /^[\w.-]{1,64}$/.test(name) === is));
  if (!plain || !odd || odd.length === 0) return schema;
  const { additionalProperties: _, required, ...rest } = schema;
  const names = odd.map(([name]) => JSON.stringify(name)).join(', ');
  return {
    ...rest,
    properties: Object.fromEntries(plain),
    ...(Array.isArray(required) ? { required: required.filter((name) => plain.some(([kept]) => kept === name)) } : {}),
    description: [rest.description, `It also takes: ${names}.`].filter(Boolean).join(' '),
  };
}

const ANTHROPIC_IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The block that answers a `tool_use` block; images stay images. */
export function anthropicResult(toolUseId: string, result: ToolResult) {
  const content = result.parts.map((part) =>
    part.type === 'image' && ANTHROPIC_IMAGES.includes(part.mimeType)
      ? { type: 'image' as const, source: { type: 'base64' as const, media_type: part.mimeType, data: part.data } }
      : { type: 'text' as const, text: describePart(part) },
  );
  return {
    type: 'tool_result' as const,
    tool_use_id: toolUseId,
    is_error: result.isError,
    content: content.length > 0 ? content : [{ type: 'text' as const, text: result.text }],
  };
}

/** The AI SDK recognizes a schema by this symbol. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');
const AI_SDK_VALIDATOR = Symbol.for('vercel.ai.validator');

export interface AiSdkTool {
  readonly description: string;
  readonly inputSchema: {
    readonly [AI_SDK_SCHEMA]: true;
    readonly [AI_SDK_VALIDATOR]: true;
    readonly jsonSchema: JsonObject;
    readonly validate: undefined;
  };
  execute(args: JsonObject, options: { readonly abortSignal?: AbortSignal }): Promise<ToolResult>;
  toModelOutput(given: ToolResult | { readonly output: ToolResult }): AiSdkOutput;
}

export type AiSdkOutput =
  | { readonly type: 'error-text'; readonly value: string }
  | { readonly type: 'content'; readonly value: readonly AiSdkPart[] };

type AiSdkPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly data: string; readonly mediaType: string };

/** The `tools` of `generateText` and `streamText`. */
export function aiSdkTools(tools: readonly HostTool[]): Record<string, AiSdkTool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, aiSdkTool(tool)]));
}

function aiSdkTool(tool: HostTool): AiSdkTool {
  return {
    description: tool.description,
    inputSchema: {
      [AI_SDK_SCHEMA]: true,
      [AI_SDK_VALIDATOR]: true,
      jsonSchema: providerSchema(tool.parameters),
      validate: undefined,
    },
    execute: (args, { abortSignal }) => tool.execute(args, abortSignal ? { signal: abortSignal } : {}),
    // Version 5 passes the output itself, later versions an object that contains it.
    toModelOutput: (given) => modelOutput('output' in given ? given.output : given),
  };
}

function modelOutput(result: ToolResult): AiSdkOutput {
  if (result.isError) return { type: 'error-text', value: result.text };
  return { type: 'content', value: result.parts.map(aiSdkPart) };
}

function aiSdkPart(part: ResultPart): AiSdkPart {
  return part.type === 'image' || part.type === 'audio'
    ? { type: 'media', data: part.data, mediaType: part.mimeType }
    : { type: 'text', text: describePart(part) };
}
