import type { ConfigLayer, RawServer, Scope } from './config-layer.ts';
import { mergeSettings } from './merge-settings.ts';
import { type CheckedEntry, checkServerEntry, SERVER_ID, type ServerEntry } from './server-entry.ts';

/** A server in a config file, valid or not. */
export interface ConfiguredServer {
  readonly id: string;
  readonly source: Scope;
  /** The config file that defines it; not an absolute path if a program defined it. */
  readonly file: string;
  /** As written, if it is a string. */
  readonly transport: string | null;
  readonly enabled: boolean;
  /** Undefined if the entry is invalid (see `reason`) or only disables the server. */
  readonly entry: ServerEntry | undefined;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
  /** The entry as written in the file. */
  readonly raw: unknown;
}

/** The servers of one layer, sorted by id. */
export function serversOf(layer: ConfigLayer): ConfiguredServer[] {
  return [...layer.servers].map(([id, raw]) => configuredServer(id, layer, raw)).sort(byId);
}

/**
 * The effective servers: an entry of a later layer fully replaces an earlier one, even if it is invalid. Pins and quarantine that the
 * user set for an id also apply to a project's entry that replaces it.
 */
export function mergeServers(layers: readonly ConfigLayer[]): ConfiguredServer[] {
  const merged = new Map<string, ConfiguredServer>();
  for (const layer of layers) {
    for (const server of serversOf(layer)) merged.set(server.id, inPlaceOf(merged.get(server.id), server));
  }
  return [...merged.values()].sort(byId);
}

function configuredServer(id: string, { scope, file }: ConfigLayer, raw: RawServer): ConfiguredServer {
  const { value, duplicate, note } = raw;
  const members = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const checked: CheckedEntry | SwitchedOff = duplicate
    ? { entry: undefined, reason: 'the id is defined twice in this file', warnings: [] }
    : isSwitchOff(value) && SERVER_ID.test(id)
      ? { entry: undefined, reason: undefined, warnings: [] }
      : checkServerEntry(id, value);
  return {
    id,
    source: scope,
    file,
    transport: typeof members.transport === 'string' ? members.transport : null,
    enabled: members.enabled !== false,
    ...checked,
    warnings: [...checked.warnings, ...(note === undefined ? [] : [note])],
    raw: value,
  };
}

/** A project's entry keeps the user's restrictions on its id; one that only disables a server keeps its transport. */
function inPlaceOf(earlier: ConfiguredServer | undefined, server: ConfiguredServer): ConfiguredServer {
  if (isSwitchOff(server.raw)) return { ...server, transport: earlier?.transport ?? server.transport };
  if (server.source !== 'project' || !server.entry) return server;
  const entry = mergeSettings<Partial<ServerEntry>>('mcp.servers.*', earlier?.entry ?? {}, server.entry);
  return { ...server, entry: entry as ServerEntry };
}

interface SwitchedOff {
  readonly entry: undefined;
  readonly reason: undefined;
  readonly warnings: readonly string[];
}

/** Exactly `{ "enabled": false }`: with it, a project disables a server of the user's config. */
export function isSwitchOff(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.entries(value);
  return members.length === 1 && members[0]?.[0] === 'enabled' && members[0][1] === false;
}

const ASCII = /^[\x00-\x7f]*$/;

/** In byte order. */
function byId(a: ConfiguredServer, b: ConfiguredServer): number {
  if (ASCII.test(a.id) && ASCII.test(b.id)) return a.id < b.id ? -1 : Number(a.id > b.id);
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
