import type { ListedTool } from '../search/tool-definitions.ts';

/** Resources as a tool, for clients that support only tools. */
export const READ_RESOURCE: ListedTool = {
  name: 'read_resource',
  description: 'Read a resource of a connected server. Without `uri`: list the resources that there are.',
  inputSchema: {
    type: 'object',
    properties: {
      uri: { type: 'string', description: 'As the list gives it, or one that fits a listed template.' },
    },
  },
  annotations: { readOnlyHint: true },
};

/** Prompts as a tool, for clients that support only tools. */
export const GET_PROMPT: ListedTool = {
  name: 'get_prompt',
  description: 'Get a prompt of a connected server. Without `name`: list the prompts that there are.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'As the list gives it.' },
      arguments: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
  annotations: { readOnlyHint: true },
};

export const PROMOTED_TOOLS: readonly ListedTool[] = [READ_RESOURCE, GET_PROMPT];

/** Prepends the promoted tools to a list of tools. */
export function withPromoted(toolsJson: string): string {
  const promoted = JSON.stringify(PROMOTED_TOOLS).slice(1, -1);
  return toolsJson === '[]' ? `[${promoted}]` : `[${promoted},${toolsJson.slice(1)}`;
}
