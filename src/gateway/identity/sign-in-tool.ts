import type { ListedTool } from '../search/tool-definitions.ts';

/** The tool that asks a person to sign in to a server. */
export const SIGN_IN = 'sign_in';

/** The tool, as shown to a caller while servers wait for a sign-in. */
export function signInTool(servers: readonly string[]): ListedTool {
  return {
    name: SIGN_IN,
    description: 'Ask the person to sign in to a server whose tools are hidden until then.',
    inputSchema: {
      type: 'object',
      properties: { server: { type: 'string', enum: [...servers] } },
      required: ['server'],
    },
  };
}

/** Appends a tool to a JSON list of tools. */
export function withTool(listJson: string, tool: ListedTool): string {
  const joint = listJson === '[]' ? '' : ',';
  return `${listJson.slice(0, -1)}${joint}${JSON.stringify(tool)}]`;
}
