import { isObject, type JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from './catalog-entry.ts';

/** Converts an MCP registry server to a catalog entry; undefined: it has no npx or uvx package, and no address. */
export function registryEntry(document: JsonObject, source: string): CatalogEntry | undefined {
  const server = (isObject(document.server) ? document.server : document) as JsonObject;
  if (typeof server.name !== 'string') return undefined;
  const reached = objects(server.remotes).flatMap(remote)[0] ?? objects(server.packages).flatMap(program)[0];
  if (!reached) return undefined;
  return {
    name: server.name,
    title: text(server.title) ?? server.name,
    description: text(server.description) ?? '',
    source,
    labels: [],
    trust: null,
    ...reached,
  };
}

type Reached = Pick<CatalogEntry, 'transport' | 'command' | 'args' | 'url' | 'runtime' | 'auth' | 'env'>;

function remote({ type, url, headers }: JsonObject): Reached[] {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return [];
  if (type !== 'streamable-http' && type !== 'sse') return [];
  const auth = objects(headers).length > 0 ? 'headers' : 'oauth';
  return [{ transport: type === 'sse' ? 'sse' : 'http', url, runtime: null, auth, env: [] }];
}

function program({ registryType, identifier, version, packageArguments, environmentVariables }: JsonObject): Reached[] {
  if (typeof identifier !== 'string') return [];
  const pinned = typeof version === 'string' && version !== 'latest' ? version : undefined;
  const start = {
    npm: { command: 'npx', first: ['-y', pinned ? `${identifier}@${pinned}` : identifier], runtime: 'node' },
    pypi: { command: 'uvx', first: [pinned ? `${identifier}==${pinned}` : identifier], runtime: 'uv' },
  }[String(registryType)];
  if (!start) return [];
  return [
    {
      transport: 'stdio',
      command: start.command,
      args: [...start.first, ...objects(packageArguments).flatMap(argument)],
      runtime: start.runtime,
      auth: 'none',
      env: objects(environmentVariables).flatMap(variable),
    },
  ];
}

/** An argument without a value becomes a blank with its name. */
function argument({ type, name, value, valueHint, isRequired }: JsonObject): string[] {
  const given = text(value) ?? text(valueHint);
  if (type === 'positional')
    return given !== undefined && text(value) ? [given] : isRequired === true ? [`{${blank(valueHint ?? name)}}`] : [];
  if (typeof name !== 'string') return [];
  if (typeof value === 'string') return [name, value];
  return isRequired === true ? [name, `{${blank(name)}}`] : [];
}

function variable({ name, description, isRequired, isSecret }: JsonObject): CatalogEntry['env'] {
  if (typeof name !== 'string') return [];
  return [{ name, description: text(description) ?? '', required: isRequired === true, secret: isSecret === true }];
}

function blank(name: unknown): string {
  return (
    String(name ?? 'value')
      .replaceAll(/\W+/g, '_')
      .replaceAll(/^_+|_+$/g, '') || 'value'
  );
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
