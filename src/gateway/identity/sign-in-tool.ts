import type { ListedTool } from '../search/tool-definitions.ts';

/** The name of the tool by which a person is asked to sign in to a server. */
export const SIGN_IN = 'sign_in';

/** The tool as a caller sees it for whom servers wait; it is gone when none does. */
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

/** A list of tools as JSON, with one more at its end. */
export function withTool(listJson: string, tool: ListedTool): string {
  const joint = listJson === '[]' ? '' : ',';
  return `${listJson.slice(0, -1)}${joint}${JSON.stringify(tool)}]`;
}
