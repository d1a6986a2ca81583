import { isObject } from '../../contract/json.ts';
import type { ToolHost } from '../../host/tool-host.ts';

/** A prompt of a server, for a list. */
export interface PromptItem {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly args: readonly string[];
}

/** The prompts of all connected servers. */
export function promptsOf(host: ToolHost): PromptItem[] {
  return host.prompts().map(({ server, prompt }) => {
    const args = (Array.isArray(prompt.arguments) ? prompt.arguments : []).filter(isObject);
    return {
      server,
      name: String(prompt.name),
      description: typeof prompt.description === 'string' ? prompt.description : '',
      args: args.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])),
    };
  });
}

/** One row per prompt: name, arguments, first line of the description. */
export function promptLines(
  prompts: readonly PromptItem[],
  table: (rows: readonly (readonly unknown[])[]) => string,
): string {
  return table(
    prompts.map(({ server, name, args, description }) => [
      `${server}/${name}`,
      args.map((arg) => `${arg}=`).join(' ') || '-',
      description.split('\n', 1)[0],
    ]),
  );
}
