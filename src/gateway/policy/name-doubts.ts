import { didYouMean } from '../../contract/nearest-word.ts';

/** The known servers and the original names of their tools; undefined if the tools are not known yet. */
export type KnownTools = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** Warnings about the names in a policy check, because policy gives an answer for misspelt names too. */
export function nameDoubts(server: string, tool: string, known: KnownTools): string[] {
  const own = toolOfPublicName(server, tool);
  if (own !== undefined)
    return [`${tool} is the name that clients see; policy calls it ${own}: \`bindery policy check ${server} ${own}\``];
  if (!known.has(server)) return [withHint(`no server is called ${server}`, server, known.keys())];
  const tools = known.get(server);
  if (tools === undefined || tools.has(tool)) return [];
  return [withHint(`${server} has no tool ${tool}`, tool, tools)];
}

/** The tool's original name from its public name; undefined if it is not a public name of this server. */
export function toolOfPublicName(server: string, name: string): string | undefined {
  return name.startsWith(`${server}__`) ? name.slice(server.length + 2) : undefined;
}

/** Appends the known name that was probably meant. */
export function withHint(message: string, typed: string, names: Iterable<string> | undefined): string {
  const hint = didYouMean(typed, names ?? []);
  return hint === '' ? message : `${message}. ${hint}`;
}
