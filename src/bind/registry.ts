import { isObject, type JsonObject } from '../contract/json.ts';
import {
  type Candidate,
  type CollapseFailure,
  type CollapsePolicy,
  cascadeFailed,
  closeFor,
  isEligible,
  rankCandidates,
} from './collapse.ts';
import { bareName, lowerAscii } from './identity.ts';
import { parseZoneJson } from './read-zone.ts';
import { type Remote, remoteOf, serverJson } from './server-json.ts';
import type { Zone, ZoneSource } from './zone.ts';

/** An entry as the MCP registry's API gives it. */
export interface RegistryEntry {
  readonly server: JsonObject;
  readonly _meta: JsonObject;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

/** Zones as the MCP registry's API names them: by the name that a zone was imported with, or below a namespace of our own. */
export class Registry {
  readonly #zones: ZoneSource;
  readonly #policy: CollapsePolicy;
  readonly #namespace: string;
  #version: number | undefined;
  #byName: ReadonlyMap<string, string> = new Map();
  #names: readonly string[] = [];

  constructor(zones: ZoneSource, policy: CollapsePolicy, namespace: string) {
    this.#zones = zones;
    this.#policy = policy;
    this.#namespace = namespace;
  }

  /** Every server name, sorted by code point. */
  names(): readonly string[] {
    this.#refresh();
    return this.#names;
  }

  /** The identity of a server name. */
  identity(serverName: string): string | undefined {
    this.#refresh();
    return this.#byName.get(serverName);
  }

  /** The entry of a server name; the failure of its collapse if it has no endpoint; undefined if there is no such name. */
  entry(serverName: string): RegistryEntry | CollapseFailure | undefined {
    this.#refresh();
    const name = this.#byName.get(serverName);
    const zone = name === undefined ? undefined : this.#zones.get(name);
    return zone && this.#describe(serverName, zone);
  }

  #describe(serverName: string, zone: Zone): RegistryEntry | CollapseFailure {
    const request = { name: zone.name };
    const closure = closeFor(this.#zones, zone, request, this.#policy);
    if (!closure.ok) return cascadeFailed(zone.name, closure).failure;
    const candidates = rankCandidates(closure.nodes).filter((candidate) => isEligible(candidate, request));
    const json = parseZoneJson(zone.name, zone.text) as JsonObject & { records: unknown[] };
    const createdAt = json.created_at;
    return {
      server: serverJson(
        zone.name,
        json,
        serverName,
        candidates.flatMap((candidate) => this.#remote(candidate)),
      ),
      _meta: {
        [OFFICIAL]: {
          status: 'active',
          ...(typeof createdAt === 'string' ? { publishedAt: createdAt, updatedAt: createdAt } : {}),
          isLatest: true,
        },
      },
    };
  }

  #remote({ node, record }: Candidate): Remote[] {
    if (record.endpoint === undefined || (record.isPrivate && !this.#policy.allowPrivateEndpoints)) return [];
    const stored = parseZoneJson(bareName(node.zone.name), node.zone.text)?.records[record.position];
    return [remoteOf(record.endpoint, isObject(stored) ? stored.value : undefined)];
  }

  /** Rebuilds the names after a change of the zones; if two zones have one name, the first in the order of identities keeps it. */
  #refresh(): void {
    if (this.#version === this.#zones.version) return;
    const byName = new Map<string, string>();
    for (const name of this.#zones.names()) {
      if (this.#policy.protectedNames.has(name)) continue;
      const zone = this.#zones.get(name);
      if (zone?.state !== 'sound') continue;
      const serverName = zone.registryName ?? `${this.#namespace}/${name}`;
      if (!byName.has(serverName)) byName.set(serverName, name);
    }
    this.#byName = byName;
    this.#names = [...byName.keys()].sort();
    this.#version = this.#zones.version;
  }
}

/** The identity that an imported server gets: the labels of its name, the nearest first. Undefined: not a valid identity. */
export function identityOf(serverName: string): string | undefined {
  const [namespace = '', ...rest] = serverName.split('/');
  const labels = [rest.join('-'), ...namespace.split('.').reverse()];
  const slug = lowerAscii(labels.join('-'))
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '');
  return rest.length > 0 && slug !== '' && slug.length <= 63 ? slug : undefined;
}
