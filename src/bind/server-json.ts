import { BinderyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import { toUri } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import { parseZoneJson, REGISTRY_NAME_TEXT, registryNameIn } from './read-zone.ts';
import type { Zone, ZoneIssue } from './zone.ts';

/** A zone made from another format, not stored yet. */
export interface ConvertedZone {
  readonly zone: JsonObject & { readonly records: readonly JsonObject[] };
  readonly warnings: readonly ZoneIssue[];
}

export interface ServerJsonOptions {
  readonly name: string;
  /** Time of creation, for a zone that is new. */
  readonly createdAt: string;
  readonly contact?: string | undefined;
  /** The contact of a server that names none. */
  readonly otherwiseContact?: string | undefined;
  /** Values of the `{variables}` in the URLs. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** The existing zone of that name; its own records are kept. */
  readonly current?: Zone | undefined;
}

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const FIRST_PRIORITY = 1000;
/** Remotes of the legacy transport come after all others. */
const SSE_PENALTY = 500;

/** An MCP registry entry → a zone. The order of the remotes becomes their priority. */
export function importServerJson(document: JsonObject, options: ServerJsonOptions): ConvertedZone {
  const server = isObject(document.server) ? document.server : document;
  const warnings: ZoneIssue[] = [];
  const status = registryStatus(document, server);
  if (status === 'deleted')
    throw new BinderyError('INVALID_ZONE', { detail: 'the server was deleted in its registry' });
  if (status === 'deprecated') warnings.push(warning('deprecated', 'The server is deprecated in its registry.'));
  if (typeof server.name !== 'string') throw new BinderyError('INVALID_ZONE', { detail: 'the document has no name' });
  warnings.push(...droppedMembers(server));
  const remotes = Array.isArray(server.remotes) ? server.remotes : [];
  const endpoints = remotes.flatMap((remote, index) => importRemote(remote, index, server, options, warnings));
  if (endpoints.length === 0) warnings.push(warning('no_remotes', 'There is no remote that can be reached by URL.'));
  const stored = options.current && parseZoneJson(options.name, options.current.text);
  const contact =
    options.contact ?? stored?.contact ?? server.websiteUrl ?? repositoryUrl(server) ?? options.otherwiseContact;
  const zone = {
    identity: options.name,
    created_at: stored?.created_at ?? options.createdAt,
    ...(contact === undefined ? {} : { contact }),
    ...(typeof server.description === 'string' ? { info: server.description } : {}),
    records: [
      ...endpoints,
      ...(typeof server.websiteUrl === 'string' ? [{ type: 'APP', value: server.websiteUrl }] : []),
      { type: 'TXT', value: `${REGISTRY_NAME_TEXT}${server.name}` },
      ...(stored?.records ?? []).filter(
        (record): record is JsonObject => isObject(record) && !isFromServerJson(record),
      ),
    ],
  };
  return { zone, warnings };
}

/** Members of a server and of its remotes that a zone has a place for. */
const KEPT_OF_SERVER = ['$schema', 'name', 'description', 'version', 'websiteUrl', 'remotes', 'status', '_meta'];
const KEPT_OF_REMOTE = ['type', 'url', 'variables'];

/** One warning for each member that has no place in a zone. */
function droppedMembers(server: JsonObject): ZoneIssue[] {
  const remotes = Array.isArray(server.remotes) ? server.remotes : [];
  const dropped = (owner: unknown, kept: readonly string[], where: string) =>
    Object.entries(isObject(owner) ? owner : {})
      .filter(([member, value]) => !kept.includes(member) && !(Array.isArray(value) && value.length === 0))
      .map(([member, value]) => {
        const count = Array.isArray(value) ? ` (${value.length})` : '';
        const why = DROPPED_BECAUSE[member] ?? 'a zone has no place for it';
        return warning('dropped', `${where}"${member}"${count} was left out: ${why}.`);
      });
  return [
    ...dropped(server, KEPT_OF_SERVER, ''),
    ...remotes.flatMap((remote, index) => dropped(remote, KEPT_OF_REMOTE, `Remote ${index}: `)),
  ];
}

const DROPPED_BECAUSE: Readonly<Record<string, string>> = {
  packages: 'a zone names endpoints, not programs to run',
  headers: 'a zone holds no headers; configure them where the server is used',
  repository: 'it serves as the contact where nothing else is given',
};

/** A zone → an MCP registry entry. Its endpoints become the remotes, best first. */
export function exportServerJson(zone: Zone, registryName: string | undefined): JsonObject {
  const json = zone.state === 'sound' ? parseZoneJson(zone.name, zone.text) : undefined;
  if (!json) {
    const identity = toUri(zone.name);
    throw new BinderyError('ZONE_CORRUPT', { members: { identity, reason: 'corrupt', chain: [identity] } });
  }
  const name = registryName ?? zone.registryName;
  if (name === undefined) {
    throw new BinderyError('INVALID_PARAMETER', {
      detail: 'the zone does not say its name in the registry',
      next: 'Pass --name, such as io.github.user/server.',
    });
  }
  const remotes = zone.endpoints.map((record) => {
    if (record.endpoint === undefined) {
      throw new BinderyError('INVALID_ENDPOINT', { members: { identity: toUri(zone.name) } });
    }
    return remoteOf(record.endpoint, (json.records[record.position] as JsonObject).value);
  });
  return serverJson(zone.name, json, name, remotes);
}

/** An endpoint as a registry entry lists it, with the version that its record names. */
export interface Remote {
  readonly type: 'sse' | 'streamable-http';
  readonly url: string;
  readonly version: string | undefined;
}

export function remoteOf(url: string, value: unknown): Remote {
  const version = isObject(value) && typeof value.version === 'string' ? value.version : undefined;
  return { type: isSse(value) ? 'sse' : 'streamable-http', url, version };
}

/** A zone and its endpoints, best first, in the format of the MCP registry. */
export function serverJson(
  identity: string,
  zone: JsonObject & { readonly records: readonly unknown[] },
  name: string,
  remotes: readonly Remote[],
): JsonObject {
  const website = zone.records.find(
    (record): record is JsonObject => isObject(record) && record.type === 'APP' && typeof record.value === 'string',
  )?.value;
  const description = typeof zone.info === 'string' && zone.info !== '' ? zone.info : identity;
  return {
    $schema: SCHEMA,
    name,
    description: description.slice(0, BIND_LIMITS.descriptionLengthMax),
    version: remotes[0]?.version ?? '0.0.0',
    ...(website === undefined ? {} : { websiteUrl: website }),
    remotes: remotes.map(({ type, url }) => ({ type, url })),
  };
}

function importRemote(
  remote: unknown,
  index: number,
  server: JsonObject,
  options: ServerJsonOptions,
  warnings: ZoneIssue[],
): JsonObject[] {
  const skip = (code: string, message: string) => {
    warnings.push(warning(code, `Remote ${index}: ${message}`));
    return [];
  };
  if (!isObject(remote) || typeof remote.url !== 'string') return skip('bad_remote', 'it has no URL.');
  const isSseRemote = remote.type === 'sse';
  if (!isSseRemote && remote.type !== 'streamable-http') return skip('unknown_transport', 'its type is not known.');
  const endpoint = remote.url.replaceAll(/\{([^{}]*)\}/g, (whole, variable: string) =>
    options.variables && Object.hasOwn(options.variables, variable) ? (options.variables[variable] as string) : whole,
  );
  if (/[{}]/.test(endpoint)) return skip('variable', `its URL has variables without a value: ${endpoint}`);
  const value = {
    endpoint,
    ...(typeof server.version === 'string' ? { version: server.version } : {}),
    ...(isSseRemote ? { features: ['sse'] } : {}),
  };
  return [{ type: 'MCP', value, priority: FIRST_PRIORITY - index - (isSseRemote ? SSE_PENALTY : 0) }];
}

function registryStatus(document: JsonObject, server: JsonObject): unknown {
  for (const { _meta: meta } of [document, server]) {
    const official = isObject(meta) ? meta['io.modelcontextprotocol.registry/official'] : undefined;
    if (isObject(official) && official.status !== undefined) return official.status;
  }
  return server.status;
}

function repositoryUrl(server: JsonObject): unknown {
  return isObject(server.repository) ? server.repository.url : undefined;
}

function isFromServerJson(record: JsonObject): boolean {
  return record.type === 'MCP' || record.type === 'APP' || isRegistryName(record);
}

function isRegistryName({ type, value }: JsonObject): boolean {
  return type === 'TXT' && registryNameIn(value) !== undefined;
}

function isSse(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.features) && value.features.includes('sse');
}

function warning(code: string, message: string): ZoneIssue {
  return { level: 'warning', code, message };
}
