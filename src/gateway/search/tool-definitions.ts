import { SEARCH_LIMITS } from './limits.ts';

/** A tool in `tools/list`. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** The search tool; each of its words costs tokens in every conversation. */
export const FIND_TOOLS: ListedTool = {
  name: 'find_tools',
  description:
    'Find tools of all connected servers by what they do. Returns names, descriptions and input schemas, best first, within a token budget. ' +
    'For a task of several steps pass `queries`, one short phrase per step; else `query`. Then call a tool by name, or with call_tool.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What the tool should do.' },
      queries: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: SEARCH_LIMITS.queriesMax,
        description: 'Instead of query: one per step.',
      },
      budget: {
        type: 'integer',
        minimum: SEARCH_LIMITS.budgetTokensMin,
        maximum: SEARCH_LIMITS.budgetTokensMax,
        default: SEARCH_LIMITS.budgetTokensDefault,
        description: 'Tokens of the answer.',
      },
      limit: { type: 'integer', minimum: 1, maximum: SEARCH_LIMITS.limitMax, default: SEARCH_LIMITS.limitDefault },
      server: { type: 'string', description: 'Only tools of this server.' },
    },
  },
  annotations: { readOnlyHint: true },
};

/** The tool that calls a found tool, for clients that do not refresh their listing. */
export const CALL_TOOL: ListedTool = {
  name: 'call_tool',
  description: 'Call a tool that find_tools returned. The result is the tool’s own.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name as find_tools gave it.' },
      arguments: { type: 'object', description: 'Arguments by its input_schema.' },
    },
    required: ['name'],
  },
};
