import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, type HttpFace, READ_ONLY } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import { BIND_LIMITS } from '../limits.ts';
import type { RegistryEntry } from '../registry.ts';
import { toError } from '../request.ts';

const ServerName = z.string().describe('Name in the registry, such as io.github.user/weather');
const EntryOutput = z.object({
  server: z.record(z.string(), z.unknown()),
  _meta: z.record(z.string(), z.unknown()),
});
const ListOutput = z.object({
  servers: z.array(EntryOutput),
  metadata: z.object({ count: z.int(), nextCursor: z.string().exactOptional() }),
});

/** Any web page may read it, because the directory is public. */
const read = (path: string): HttpFace<unknown, unknown> => ({
  method: 'GET',
  path,
  crossOrigin: true,
  meta: () => ({ headers: { 'cache-control': `public, max-age=${BIND_LIMITS.negativeTtlSeconds}` } }),
});

/** The names, as the MCP registry's API lists servers. */
export const registryListOperation = defineOperation({
  id: 'bind.registry_list',
  summary: 'List the names as servers of an MCP registry.',
  input: z.strictObject({
    cursor: z.string().optional().describe('nextCursor of the page before'),
    limit: z.int().min(1).max(BIND_LIMITS.registryPageMax).default(BIND_LIMITS.registryPageDefault),
    search: z.string().optional().describe('Part of the name, in any case'),
    updated_since: z.iso.datetime().optional().describe('Only servers that changed at or after this time'),
    version: z.string().optional().describe('latest, or an exact version'),
  }),
  output: ListOutput,
  hints: READ_ONLY,
  http: read('/v0.1/servers'),
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: async ({ cursor = '', limit, search = '', updated_since: since, version }, deps: BindDeps, call) => {
    const { registry, clock } = deps;
    if (!isCursor(cursor, registry)) {
      throw new BinderyError('INVALID_PARAMETER', { detail: 'cursor: must be nextCursor of the page before' });
    }
    const wanted = search.toLowerCase();
    const servers: RegistryEntry[] = [];
    // Other resolvers may be slow: a page ends at this deadline, and the next page continues.
    const endMs = clock.now() + BIND_LIMITS.remoteBudgetMs;
    let last: string | undefined;
    for (const name of registry.names()) {
      if (name <= cursor || !name.toLowerCase().includes(wanted)) continue;
      if (servers.length === limit || (last !== undefined && clock.now() >= endMs)) return page(servers, last);
      call.signal.throwIfAborted();
      last = name;
      await gather(name, deps);
      const entry = registry.entry(name);
      if (entry && 'server' in entry && isWanted(entry, since, version)) servers.push(entry);
    }
    return page(servers, undefined);
  },
});

/** The one version that a zone has. */
export const registryVersionsOperation = defineOperation({
  id: 'bind.registry_versions',
  summary: 'List the versions of a server of the registry.',
  input: z.strictObject({ serverName: ServerName }),
  output: ListOutput,
  hints: READ_ONLY,
  http: read('/v0.1/servers/{serverName}/versions'),
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: async ({ serverName }, deps: BindDeps) => page([await entryOf(serverName, deps)], undefined),
});

export const registryVersionOperation = defineOperation({
  id: 'bind.registry_version',
  summary: 'Read a server of the registry; the version may be "latest".',
  input: z.strictObject({ serverName: ServerName, version: z.string() }),
  output: EntryOutput,
  hints: READ_ONLY,
  http: read('/v0.1/servers/{serverName}/versions/{version}'),
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: async ({ serverName, version }, deps: BindDeps) => {
    const entry = await entryOf(serverName, deps);
    if (isWanted(entry, undefined, version)) return entry;
    throw new BinderyError('IDENTITY_NOT_FOUND', { detail: 'the server has no such version' });
  },
});

async function entryOf(serverName: string, deps: BindDeps): Promise<RegistryEntry> {
  await gather(serverName, deps);
  const entry = deps.registry.entry(serverName);
  if (!entry) throw new BinderyError('IDENTITY_NOT_FOUND', { detail: 'there is no server of this name' });
  if ('server' in entry) return entry;
  throw toError(entry);
}

/** A cursor is the last name of a page; its zone may have been removed since. */
function isCursor(cursor: string, registry: BindDeps['registry']): boolean {
  return cursor === '' || cursor.includes('/') || registry.identity(cursor) !== undefined;
}

/** Fetches the zones of other resolvers that the zone of a server inherits from. */
async function gather(serverName: string, { registry, answers }: BindDeps): Promise<void> {
  const name = registry.identity(serverName);
  if (name !== undefined) await answers.gather({ name });
}

function isWanted(entry: RegistryEntry, since: string | undefined, version: string | undefined): boolean {
  if (version !== undefined && version !== 'latest' && version !== entry.server.version) return false;
  if (since === undefined) return true;
  const [meta] = Object.values(entry._meta) as { updatedAt?: string }[];
  return meta?.updatedAt === undefined || Date.parse(meta.updatedAt) >= Date.parse(since);
}

function page(servers: readonly RegistryEntry[], nextCursor: string | undefined): z.output<typeof ListOutput> {
  const metadata = { count: servers.length, ...(nextCursor === undefined ? {} : { nextCursor }) };
  return { servers: servers.map(({ server, _meta }) => ({ server: { ...server }, _meta: { ..._meta } })), metadata };
}
