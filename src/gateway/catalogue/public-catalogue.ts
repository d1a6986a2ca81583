import { listingKey, type NameStyle, otherToolNames, publicToolName } from '../../contract/tool-names.ts';
import { sha256Hex } from '../audit/chain.ts';
import { claimedSince } from './claims.ts';
import { compareBytes } from './compare-bytes.ts';
import { ResourceRoutes } from './resource-routes.ts';
import type { OfferedTool, ServerOffer } from './server-offer.ts';

/** How a profile names tools; `bare` keeps the names of its single server. */
export type ProfileNames = NameStyle | 'bare';

/** A callable tool. */
export interface ToolEntry {
  readonly name: string;
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
  readonly offered: OfferedTool;
  /** The definition with its public name, as JSON. */
  readonly json: string;
}

export interface PromptEntry {
  readonly name: string;
  readonly server: string;
  readonly prompt: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** Everything that a profile's servers offer, by public name. */
export interface PublicCatalogue {
  /** In byte order of the public name, except that `context_search` is first in its room. */
  readonly tools: ReadonlyMap<string, ToolEntry>;
  /** Built-in tools by their aliases. */
  readonly otherNames: ReadonlyMap<string, ToolEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly resources: ResourceRoutes;
  readonly offers: readonly ServerOffer[];
  /** Tools without a public name, because a server claimed it before. */
  readonly conflicts: readonly NameConflict[];
}

export interface NameConflict {
  readonly server: string;
  readonly tool: string;
  readonly name: string;
  /** The server whose tool has the name. */
  readonly owner: string;
}

/**
 * Builds the catalogue of a profile; the result does not depend on the order of the offers. If two tools have the same public name (a
 * hash collision), the older claim wins, then the smaller server id. `absent` servers offer nothing, but keep the names and URIs that
 * they claimed first.
 */
export function publicCatalogue(
  offers: readonly ServerOffer[],
  names: ProfileNames,
  absent: readonly ServerOffer[] = [],
): PublicCatalogue {
  const sorted = [...offers].sort((a, b) => compareBytes(a.server, b.server));
  const nameOf = (server: string, tool: string) =>
    names === 'bare' ? tool : publicToolName(server, tool, names, sha256Hex);

  const since = (kind: 'tool' | 'prompt', server: string, name: string) =>
    claimedSince(sorted.find((offer) => offer.server === server) ?? {}, kind, name);

  const tools = new Map<string, ToolEntry>();
  const conflicts: NameConflict[] = [];
  for (const offer of sorted) {
    for (const entry of entriesOf(offer, names, nameOf)) {
      const before = tools.get(entry.name);
      if (!before) tools.set(entry.name, entry);
      else {
        const isFirst = since('tool', entry.server, entry.tool) < since('tool', before.server, before.tool);
        const [winner, loser] = isFirst ? [entry, before] : [before, entry];
        tools.set(entry.name, winner);
        conflicts.push({ server: loser.server, tool: loser.tool, name: loser.name, owner: winner.server });
      }
    }
  }
  const prompts = new Map<string, PromptEntry>();
  for (const { server, prompts: offered } of sorted) {
    for (const definition of offered) {
      const prompt = definition.name as string;
      const name = nameOf(server, prompt);
      const before = prompts.get(name);
      if (!before || since('prompt', server, prompt) < since('prompt', before.server, before.prompt))
        prompts.set(name, { name, server, prompt, definition: { ...definition, name } });
    }
  }
  if (names !== 'bare') for (const offer of absent) keepNames(offer, { nameOf, since, tools, prompts, conflicts });
  const resources = new ResourceRoutes(sorted, absent);
  const otherNames = names === 'bare' ? new Map() : withOtherNames(tools);
  return { tools: byName(tools), otherNames, prompts: byName(prompts), resources, offers: sorted, conflicts };
}

interface Named {
  readonly nameOf: (server: string, tool: string) => string;
  readonly since: (kind: 'tool' | 'prompt', server: string, name: string) => number;
  readonly tools: Map<string, ToolEntry>;
  readonly prompts: Map<string, PromptEntry>;
  readonly conflicts: NameConflict[];
}

/** Takes the names that an absent server claimed first from the servers that have them now. */
function keepNames(absent: ServerOffer, { nameOf, since, tools, prompts, conflicts }: Named): void {
  const { server: owner } = absent;
  for (const { definition } of absent.tools) {
    const name = nameOf(owner, definition.name);
    const now = tools.get(name);
    if (!now || since('tool', now.server, now.tool) < claimedSince(absent, 'tool', definition.name)) continue;
    tools.delete(name);
    conflicts.push({ server: now.server, tool: now.tool, name, owner });
  }
  for (const definition of absent.prompts) {
    const prompt = definition.name as string;
    const now = prompts.get(nameOf(owner, prompt));
    if (now && since('prompt', now.server, now.prompt) >= claimedSince(absent, 'prompt', prompt))
      prompts.delete(now.name);
  }
}

/** Caches the entries of each offer by naming style, because a change of one server rebuilds the whole catalogue. */
const entriesByOffer = new WeakMap<ServerOffer, Map<ProfileNames, readonly ToolEntry[]>>();

function entriesOf(
  offer: ServerOffer,
  names: ProfileNames,
  nameOf: (server: string, tool: string) => string,
): readonly ToolEntry[] {
  const byStyle = entriesByOffer.get(offer) ?? new Map<ProfileNames, readonly ToolEntry[]>();
  entriesByOffer.set(offer, byStyle);
  const known = byStyle.get(names);
  if (known) return known;
  const { server, tools } = offer;
  const entries = tools
    .filter(({ reason }) => reason !== 'name_conflict')
    .sort((a, b) => compareBytes(a.definition.name, b.definition.name))
    .map((item) => entryOf(nameOf(server, item.definition.name), server, item));
  byStyle.set(names, entries);
  return entries;
}

/** Caches the entry of each offered tool, for the same reason. */
const entries = new WeakMap<OfferedTool, ToolEntry>();

function entryOf(name: string, server: string, offered: OfferedTool): ToolEntry {
  const known = entries.get(offered);
  if (known?.name === name && known.server === server) return known;
  const json = JSON.stringify({ ...offered.definition, name });
  const entry = { name, server, tool: offered.definition.name, offered, json };
  entries.set(offered, entry);
  return entry;
}

function withOtherNames(tools: ReadonlyMap<string, ToolEntry>): Map<string, ToolEntry> {
  const others = new Map<string, ToolEntry>();
  for (const entry of tools.values()) {
    for (const name of otherToolNames(entry.server, entry.tool, sha256Hex))
      if (!tools.has(name)) others.set(name, entry);
  }
  return others;
}

function byName<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...entries].sort(([a], [b]) => compareBytes(listingKey(a), listingKey(b))));
}
