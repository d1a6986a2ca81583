import { z } from 'zod';
import { issueSentence } from '../../contract/execute.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { inputSchemaOf } from '../../contract/text-input.ts';
import type { Catalogue } from '../connection/catalogue/catalogue.ts';
import { OUTPUT_TOOL, readOutput } from '../output/read-output.ts';
import type { ExecuteOptions, HostTool } from './host-tool.ts';
import { ADAPTER_LIMITS } from './limits.ts';
import { type AdapterContext, failureText, limitResult, NOT_AN_OBJECT } from './server-tools.ts';
import { errorResult, type ResultPart, type ToolResult, textOf, textResult, toToolResult } from './tool-result.ts';

/** Further requirements of the standard tools. */
export interface StandardContext extends AdapterContext {
  /** Ids of the connected servers, sorted. */
  serverIds(): readonly string[];
  catalogueOf(server: string): Catalogue;
}

const server = z.string().min(1).describe('id of the server');
const anyServer = z.string().min(1).optional().describe('id of one server; all servers without it');

/** The host's own tools: read resources, prompts and truncated outputs. */
export function standardTools(context: StandardContext): HostTool[] {
  const list = (name: string, what: string, pick: (catalogue: Catalogue) => readonly JsonObject[]) =>
    define(context, {
      name,
      description: `List the ${what} that the connected MCP servers offer.`,
      input: z.strictObject({ server: anyServer }),
      run: async (input) => listing(context, input.server, pick),
    });
  return [
    list('mcp_resources_list', 'resources', (catalogue) => catalogue.resources),
    list('mcp_resource_templates_list', 'resource templates', (catalogue) => catalogue.resourceTemplates),
    define(context, {
      name: 'mcp_resource_read',
      description: 'Read a resource of an MCP server by its URI.',
      input: z.strictObject({ server, uri: z.string().min(1).describe('URI as the server lists it') }),
      run: async (input, options) => {
        await allow(context, input.server, 'mcp_resource_read', { uri: input.uri }, options);
        const answer = await context.request(input.server, 'resources/read', { uri: input.uri }, options);
        const contents = Array.isArray(answer.contents) ? answer.contents : [];
        return toToolResult({ content: contents.map((resource) => ({ type: 'resource', resource })) });
      },
    }),
    list('mcp_prompts_list', 'prompts', (catalogue) => catalogue.prompts),
    define(context, {
      name: 'mcp_prompt_get',
      description: 'Get a prompt of an MCP server, filled in with arguments. Meant for when the person asks for it.',
      input: z.strictObject({
        server,
        name: z.string().min(1).describe('name of the prompt'),
        arguments: z.record(z.string(), z.string()).optional().describe('arguments of the prompt'),
      }),
      run: async ({ server: id, ...params }, options) => {
        await allow(context, id, 'mcp_prompt_get', params, options);
        return promptResult(await context.request(id, 'prompts/get', params, options));
      },
    }),
    define(context, {
      name: OUTPUT_TOOL,
      description: 'Read on in a tool output that was cut, by the reference that stands at its end.',
      input: z.strictObject({
        ref: z.string().describe('reference, as the cut output names it'),
        offset: z.number().int().min(0).optional().describe('byte to begin at'),
        find: z.string().min(1).optional().describe('only lines that contain this text'),
      }),
      run: async ({ ref, offset, find }) => {
        const query = { ref, ...(offset === undefined ? {} : { offset }), ...(find === undefined ? {} : { find }) };
        return textResult(await readOutput(query, ADAPTER_LIMITS.outputTextBytesMax, context.outputs));
      },
    }),
  ];
}

interface OwnTool<S extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  run(input: z.output<S>, options: Required<Pick<ExecuteOptions, 'signal'>>): Promise<ToolResult>;
}

function define<S extends z.ZodType>(context: StandardContext, tool: OwnTool<S>): HostTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: { ...inputSchemaOf(tool.input) },
    origin: undefined,
    readOnly: true,
    destructive: false,
    flags: [],
    async execute(args = {}, { signal = new AbortController().signal } = {}) {
      if (!isObject(args)) return errorResult(NOT_AN_OBJECT);
      const input = tool.input.safeParse(args);
      if (!input.success) return errorResult(`the arguments do not fit: ${sentence(input.error)}`);
      try {
        const result = await tool.run(input.data, { signal });
        // The tool that reads a truncated output must not truncate it again.
        return tool.name === OUTPUT_TOOL
          ? result
          : await limitResult(result, ADAPTER_LIMITS.outputTextBytesMax, context.outputs);
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        return errorResult(context.redactor.text(failureText(thrown)));
      }
    },
  };
}

/** Reading needs the same permission as a tool of the server, under the name of the reading tool. */
function allow(context: StandardContext, id: string, tool: string, args: unknown, { signal }: { signal: AbortSignal }) {
  const call = { server: id, tool, arguments: args, readOnly: true, destructive: false, declared: false };
  return context.permissions.check(call, signal);
}

function listing(
  context: StandardContext,
  only: string | undefined,
  pick: (catalogue: Catalogue) => readonly JsonObject[],
): ToolResult {
  const ids = context.serverIds();
  if (only !== undefined && !ids.includes(only))
    return errorResult(`there is no server "${only}"; servers: ${ids.join(', ')}`);
  const items = ids
    .filter((id) => only === undefined || id === only)
    .flatMap((id) => pick(context.catalogueOf(id)).map((item) => ({ server: id, ...item })));
  return {
    ...textResult(items.length === 0 ? 'none' : items.map((item) => JSON.stringify(item)).join('\n')),
    structured: { items },
  };
}

/** A prompt's messages: the role of each as a line, followed by its content. */
function promptResult(answer: JsonObject): ToolResult {
  const messages = (Array.isArray(answer.messages) ? answer.messages : []).filter(isObject);
  const parts = messages.flatMap((message): ResultPart[] => [
    { type: 'text', text: `${String(message.role)}:` },
    ...toToolResult({ content: [message.content] }).parts,
  ]);
  return { isError: false, parts, text: textOf(parts), structured: answer };
}

function sentence(error: z.ZodError): string {
  return issueSentence(
    error.issues.map(({ path, message }) => ({ pointer: `/${path.map(String).join('/')}`, keyword: '', message })),
  );
}
