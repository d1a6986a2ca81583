import { didYouMean } from '../../contract/nearest-word.ts';

/** Servers that are known, and the original names of their tools; undefined where nobody has seen them yet. */
export type KnownTools = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** What is doubtful about the names of a call that somebody asks about: policy judges any name, so that a slip gets an answer too. */
export function nameDoubts(server: string, tool: string, known: KnownTools): string[] {
  const own = toolOfPublicName(server, tool);
  if (own !== undefined)
    return [`${tool} is the name that clients see; policy calls it ${own}: \`bindery policy check ${server} ${own}\``];
  if (!known.has(server)) return [withHint(`no server is called ${server}`, server, known.keys())];
  const tools = known.get(server);
  if (tools === undefined || tools.has(tool)) return [];
  return [withHint(`${server} has no tool ${tool}`, tool, tools)];
}

/** The tool's own name in the name that clients see; undefined where it is none of this server. */
export function toolOfPublicName(server: string, name: string): string | undefined {
  return name.startsWith(`${server}__`) ? name.slice(server.length + 2) : undefined;
}

/** A sentence, with the known name that was probably meant. */
export function withHint(message: string, typed: string, names: Iterable<string> | undefined): string {
  const hint = didYouMean(typed, names ?? []);
  return hint === '' ? message : `${message}. ${hint}`;
}
