import { type NameStyle, publicToolName } from '../../contract/tool-names.ts';
import { sha256Hex } from '../audit/chain.ts';
import type { OfferedTool, ServerOffer } from './server-offer.ts';

/** How a profile names things; `bare` leaves names as the one server gave them. */
export type ProfileNames = NameStyle | 'bare';

/** A tool that clients can call. */
export interface ToolEntry {
  readonly name: string;
  readonly server: string;
  /** The name on its server. */
  readonly tool: string;
  readonly offered: OfferedTool;
  /** The definition under its public name, as JSON. */
  readonly json: string;
}

export interface PromptEntry {
  readonly name: string;
  readonly server: string;
  readonly prompt: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** All that a profile's servers offer, by public name. Looking up is one map access. */
export interface PublicCatalogue {
  /** In byte order of the public name. */
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly offers: readonly ServerOffer[];
  /** Tools that cannot have their name because another has it. */
  readonly conflicts: readonly { readonly server: string; readonly tool: string; readonly name: string }[];
}

/** Builds the catalogue of a profile; the result depends on the offers alone, not on their order. */
export function publicCatalogue(offers: readonly ServerOffer[], names: ProfileNames): PublicCatalogue {
  const sorted = [...offers].sort((a, b) => compareBytes(a.server, b.server));
  const conflicts: { server: string; tool: string; name: string }[] = [];
  const nameOf = (server: string, tool: string) =>
    names === 'bare' ? tool : publicToolName(server, tool, names, sha256Hex);

  const tools = new Map<string, ToolEntry>();
  for (const offer of sorted) {
    for (const entry of entriesOf(offer, names, nameOf)) {
      const { name, server, tool } = entry;
      if (tools.has(name)) conflicts.push({ server, tool, name });
      else tools.set(name, entry);
    }
  }
  const prompts = new Map<string, PromptEntry>();
  for (const { server, prompts: offered } of sorted) {
    for (const definition of offered) {
      const name = nameOf(server, String(definition.name));
      if (!prompts.has(name))
        prompts.set(name, { name, server, prompt: String(definition.name), definition: { ...definition, name } });
    }
  }
  return { tools: byName(tools), prompts: byName(prompts), offers: sorted, conflicts };
}

/** Entries of each offer, by style of names: a catalogue is made anew whenever one server changes, and the others' stay. */
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

/** Entries by what is offered: a catalogue is made anew whenever one server changes, and the others' tools stay as they were. */
const entries = new WeakMap<OfferedTool, ToolEntry>();

function entryOf(name: string, server: string, offered: OfferedTool): ToolEntry {
  const known = entries.get(offered);
  if (known?.name === name && known.server === server) return known;
  const json = JSON.stringify({ ...offered.definition, name });
  const entry = { name, server, tool: offered.definition.name, offered, json };
  entries.set(offered, entry);
  return entry;
}

function byName<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...entries].sort(([a], [b]) => compareBytes(a, b)));
}

const SURROGATES_FROM = 0xd800;

/** UTF-8 byte order. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left === right) continue;
    // Below the surrogates the order of units is the order of bytes.
    if (left < SURROGATES_FROM && right < SURROGATES_FROM) return left - right;
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return a.length - b.length;
}
