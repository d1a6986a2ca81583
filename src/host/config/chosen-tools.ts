import { compileGlob } from '../permissions/glob.ts';
import type { ServerEntry } from './server-entry.ts';

export type ToolFilter = Pick<ServerEntry, 'include_tools' | 'exclude_tools'>;

/** A filter by tool name from the entry of a server; undefined if the entry allows all tools. */
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

/** The tools that their server's entry allows. */
export function chosenTools<T extends { readonly name: string }>(
  tools: readonly T[],
  filter: ToolFilter,
): readonly T[] {
  const chooses = toolChooser(filter);
  return chooses ? tools.filter(({ name }) => chooses(name)) : tools;
}
