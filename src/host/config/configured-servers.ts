import type { ConfigLayer, RawServer, Scope } from './config-layer.ts';
import { mergeSettings } from './merge-settings.ts';
import { type CheckedEntry, checkServerEntry, type ServerEntry } from './server-entry.ts';

/** A server that a config file names, valid or not. */
export interface ConfiguredServer {
  readonly id: string;
  readonly source: Scope;
  /** The config file that names it; no absolute path where a program gave it. */
  readonly file: string;
  /** As written, where it is a text at all. */
  readonly transport: string | null;
  readonly enabled: boolean;
  /** Undefined where the entry is invalid; `reason` says why. */
  readonly entry: ServerEntry | undefined;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
  /** The entry as it stands in the file. */
  readonly raw: unknown;
}

/** The servers of one layer, sorted by id. */
export function serversOf(layer: ConfigLayer): ConfiguredServer[] {
  return [...layer.servers].map(([id, raw]) => configuredServer(id, layer, raw)).sort(byId);
}

/**
 * The effective servers: an entry of a later layer replaces that of an earlier one whole, also if it is invalid. What the person
 * laid on an id (pins, quarantine) stays on a project's entry in its place.
 */
export function mergeServers(layers: readonly ConfigLayer[]): ConfiguredServer[] {
  const merged = new Map<string, ConfiguredServer>();
  for (const layer of layers) {
    for (const server of serversOf(layer)) {
      const { id, entry, source } = server;
      const isFromProject = source === 'project' && entry !== undefined;
      merged.set(id, isFromProject ? { ...server, entry: inPlaceOf(merged.get(id)?.entry, entry) } : server);
    }
  }
  return [...merged.values()].sort(byId);
}

function configuredServer(id: string, { scope, file }: ConfigLayer, { value, duplicate }: RawServer): ConfiguredServer {
  const members = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const checked: CheckedEntry = duplicate
    ? { entry: undefined, reason: 'the id is defined twice in this file', warnings: [] }
    : checkServerEntry(id, value);
  return {
    id,
    source: scope,
    file,
    transport: typeof members.transport === 'string' ? members.transport : null,
    enabled: members.enabled !== false,
    ...checked,
    raw: value,
  };
}

function inPlaceOf(earlier: ServerEntry | undefined, entry: ServerEntry): ServerEntry {
  return mergeSettings<Partial<ServerEntry>>('mcp.servers.*', earlier ?? {}, entry) as ServerEntry;
}

const ASCII = /^[\x00-\x7f]*$/;

/** In byte order. */
function byId(a: ConfiguredServer, b: ConfiguredServer): number {
  if (ASCII.test(a.id) && ASCII.test(b.id)) return a.id < b.id ? -1 : Number(a.id > b.id);
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
