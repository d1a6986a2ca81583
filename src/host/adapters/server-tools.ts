import { createHash } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Redactor } from '../../contract/redact.ts';
import { hashedToolName } from '../../contract/tool-names.ts';
import { type RequestOptions, UpstreamError } from '../../wire/upstream.ts';
import { chosenTools, type ToolFilter } from '../config/chosen-tools.ts';
import type { ToolDefinition } from '../connection/catalogue/catalogue.ts';
import type { OutputStore } from '../output/output-store.ts';
import { limitOutput } from '../output/read-output.ts';
import type { Permissions } from '../permissions/permissions.ts';
import type { ExecuteOptions, HostTool } from './host-tool.ts';
import { ADAPTER_LIMITS } from './limits.ts';
import { jsonBytes, OPEN_SCHEMA, safeDefinition } from './tool-definition.ts';
import { errorResult, type ResultPart, type ToolResult, textOf, toToolResult } from './tool-result.ts';

/** Programs that forward calls of models often have the arguments as a JSON string. */
export const NOT_AN_OBJECT = 'the arguments must be an object; a text of JSON has to be parsed first';

/** Gets each structured content with the output schema of its tool. Does not affect the result. */
export type CheckOutput = (
  tool: { readonly server: string; readonly tool: string; readonly outputSchema?: unknown },
  structuredContent: unknown,
) => void;

/** The parts of the host that an adapter needs. */
export interface AdapterContext {
  request(server: string, method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  readonly permissions: Permissions;
  readonly outputs: OutputStore;
  /** Masks errors; results of tools pass unchanged. */
  readonly redactor: Redactor;
  readonly checkOutput: CheckOutput | undefined;
}

export interface ServerTools {
  readonly tools: readonly HostTool[];
  /** Describes tools that were left out or changed. */
  readonly warnings: readonly string[];
}

/** The tools of one server as adapters: filtered, limited, in the server's order. */
export function serverTools(
  server: string,
  definitions: readonly ToolDefinition[],
  filter: ToolFilter,
  context: AdapterContext,
): ServerTools {
  const warnings: string[] = [];
  const chosen = chosenTools(definitions, filter);
  const kept = chosen.slice(0, ADAPTER_LIMITS.toolsPerServerMax);
  if (kept.length < chosen.length) {
    warnings.push(`${server} offers ${chosen.length} tools: only the first ${kept.length} are used`);
  }
  let schemaBytes = 0;
  const tools = kept.map((definition) => {
    const safe = safeDefinition(definition);
    schemaBytes += jsonBytes(safe.schema);
    const isOver = schemaBytes > ADAPTER_LIMITS.schemaBytesPerServerMax;
    const flags = isOver ? [...new Set([...safe.flags, 'schema_replaced' as const])] : safe.flags;
    if (flags.length > 0) warnings.push(`${server}/${definition.name}: ${flags.join(', ')}`);
    return adapt(server, definition, { ...safe, flags, schema: isOver ? OPEN_SCHEMA : safe.schema }, context);
  });
  return { tools, warnings };
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The text of a failed call, for a model or a person. */
export function failureText(thrown: unknown): string {
  if (thrown instanceof BinderyError) return thrown.detail ?? thrown.row.title;
  if (thrown instanceof UpstreamError) return thrown.message;
  return 'the call failed inside the host';
}

/** A result whose text fits the limit; otherwise stores the full text under a reference. */
export async function limitResult(result: ToolResult, bytesMax: number, outputs: OutputStore): Promise<ToolResult> {
  const isText = (part: ResultPart) => part.type === 'text' || (part.type === 'resource' && part.text !== undefined);
  const { text, reference } = await limitOutput(textOf(result.parts.filter(isText)), bytesMax, outputs);
  if (reference === undefined) return result;
  const parts: ResultPart[] = [{ type: 'text', text }, ...result.parts.filter((part) => !isText(part))];
  return { ...result, parts, text: textOf(parts), reference };
}

function adapt(
  server: string,
  definition: ToolDefinition,
  safe: ReturnType<typeof safeDefinition>,
  context: AdapterContext,
): HostTool {
  const { name: tool } = definition;
  const annotations = isObject(definition.annotations) ? definition.annotations : {};
  const readOnly = annotations.readOnlyHint === true;
  const destructive = !readOnly && annotations.destructiveHint !== false;
  const declared = [annotations.readOnlyHint, annotations.destructiveHint].some((hint) => typeof hint === 'boolean');
  const execute = async (args: JsonObject = {}, { signal, onProgress }: ExecuteOptions = {}): Promise<ToolResult> => {
    const aborts = signal ?? new AbortController().signal;
    if (!isObject(args)) return errorResult(NOT_AN_OBJECT);
    try {
      await context.permissions.check({ server, tool, arguments: args, readOnly, destructive, declared }, aborts);
      const answer = await context.request(
        server,
        'tools/call',
        { name: tool, arguments: args },
        { signal: aborts, inputSchema: definition.inputSchema, ...(onProgress ? { onProgress } : {}) },
      );
      const { outputSchema } = definition;
      if (answer.isError !== true) context.checkOutput?.({ server, tool, outputSchema }, answer.structuredContent);
      return await limitResult(toToolResult(answer), outputBytesMax(definition), context.outputs);
    } catch (thrown) {
      if (aborts.aborted) throw aborts.reason;
      return errorResult(context.redactor.text(failureText(thrown)));
    }
  };
  return {
    name: hashedToolName(server, tool, sha256Hex),
    description: `${safe.description || 'MCP tool'}\n\n(MCP tool ${server}/${tool})`,
    parameters: safe.schema,
    origin: { server, tool },
    readOnly,
    destructive,
    flags: safe.flags,
    execute,
  };
}

/** How many of these tools the entry allows. */
export function countChosen(definitions: readonly ToolDefinition[], filter: ToolFilter): number {
  return chosenTools(definitions, filter).length;
}

/** A tool may request a higher limit. */
function outputBytesMax(definition: ToolDefinition): number {
  const asked = isObject(definition._meta) ? definition._meta['anthropic/maxResultSizeChars'] : undefined;
  if (typeof asked !== 'number' || !(asked > ADAPTER_LIMITS.outputTextBytesMax))
    return ADAPTER_LIMITS.outputTextBytesMax;
  return Math.min(Math.floor(asked), ADAPTER_LIMITS.outputTextBytesAskedMax);
}
