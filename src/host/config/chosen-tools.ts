import { compileGlob } from '../permissions/glob.ts';
import type { ServerEntry } from './server-entry.ts';

export type ToolFilter = Pick<ServerEntry, 'include_tools' | 'exclude_tools'>;

/** Whether the entry of a server leaves a tool in, by its name; undefined where it leaves all of them in. */
export function toolChooser({
  include_tools,
  exclude_tools = [],
}: ToolFilter): ((tool: string) => boolean) | undefined {
  if (include_tools === undefined && exclude_tools.length === 0) return undefined;
  const included = include_tools?.map(compileGlob);
  const excluded = exclude_tools.map(compileGlob);
  const matches = (globs: readonly ((text: string) => boolean)[], tool: string) => globs.some((glob) => glob(tool));
  return (tool) => (included === undefined || matches(included, tool)) && !matches(excluded, tool);
}

/** The tools that the entry of their server leaves in. */
export function chosenTools<T extends { readonly name: string }>(
  tools: readonly T[],
  filter: ToolFilter,
): readonly T[] {
  const chooses = toolChooser(filter);
  return chooses ? tools.filter(({ name }) => chooses(name)) : tools;
}
