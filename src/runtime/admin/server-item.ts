import { heldCount } from '../../gateway/catalogue/server-offer.ts';
import type { ServerStatus } from '../../host/connection/supervision/server-set.ts';
import type { ServerLimiter } from '../../proxy/call/server-limiter.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import { conflictsOf, conflictText } from '../catalogue/name-conflicts.ts';
import type { ServedServers } from '../catalogue/served-servers.ts';
import type { ServerCatalogue } from '../catalogue/server-catalogue.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import type { GatewayConnections } from '../connections/gateway-connections.ts';
import type { ServerLimiters } from '../connections/server-limiters.ts';
import type { UserRealm } from '../users/user-realm.ts';

/** The sources of a server's state. */
export interface ServerFacts {
  readonly config: EffectiveConfig;
  readonly servers: ServedServers;
  readonly catalogue: ServerCatalogue;
  readonly connections: GatewayConnections;
  readonly limiters: ServerLimiters;
  readonly stores: { readonly registry: RegistryStore };
  /** Absent if this node is the only one. */
  readonly nodes?: { readonly processes: { reasonOf(server: string): string | undefined } } | undefined;
}

/** A server as lists show it. */
export function serverItem(facts: ServerFacts, id: string) {
  const { stderr: _stderr, server_info: _info, conflicts: _conflicts, ...item } = serverDetail(facts, id);
  return item;
}

/** A server with all details. */
export function serverDetail(facts: ServerFacts, id: string) {
  const { config, servers, catalogue, connections } = facts;
  const limiter = facts.limiters.of(id);
  const offer = catalogue.offer(id);
  const conflicts = conflictsOf(facts, id);
  const isServed = servers.builtins.has(id) || config.find(id)?.spec !== undefined;
  const held = isServed ? heldOf(facts, id) : 0;
  const common = {
    id,
    era: offer?.era ?? null,
    protocol_version: offer?.protocolVersion ?? null,
    server_info: (offer?.serverInfo as Record<string, unknown> | null | undefined) ?? null,
    tools: isServed ? (offer?.tools.filter(({ status }) => status === 'active').length ?? 0) : 0,
    held,
    conflicts,
    breaker: limiter.breaker(),
    last_health_check: timeOf(connections.host.statusOf(id)?.lastProbedAt),
  };
  if (servers.builtins.has(id)) {
    const ready = {
      state: 'ready',
      reason: null,
      connected: true,
      status: 'running',
      last_error: null,
      last_connected_at: null,
      stderr: null,
    } as const;
    return inOrder({ ...common, transport: 'stdio', source: 'builtin' as const, enabled: true, ...ready });
  }
  const effective = config.find(id);
  const { realms, host } = connections;
  const status = realms.isPerUser(id) ? perUserStatus(realms.all(), id) : host.statusOf(id);
  const state = effective?.state ?? status?.state ?? 'connecting';
  const connected = status?.connected ?? false;
  return inOrder({
    ...common,
    transport: effective?.configured.transport ?? null,
    source: effective?.manifest ? ('registered' as const) : (effective?.configured.source ?? ('global' as const)),
    enabled: effective?.configured.enabled ?? false,
    state,
    reason:
      effective?.reason ??
      breakerReason(limiter.breaker(), id) ??
      (held > 0 && state === 'ready' ? HELD_REASON : undefined) ??
      facts.nodes?.processes.reasonOf(id) ??
      status?.reason ??
      catalogue.pinned.leftOutOf(id) ??
      conflictText(conflicts) ??
      null,
    connected,
    status:
      state === 'error' || state === 'auth_required'
        ? ('error' as const)
        : connected
          ? ('running' as const)
          : ('stopped' as const),
    last_error: status?.lastError ?? limiter.lastFailure ?? (state === 'error' ? (effective?.reason ?? null) : null),
    last_connected_at: timeOf(status?.lastConnectedAt),
    stderr: status?.stderr ?? null,
  });
}

function breakerReason({ state, failures, retry_at }: ReturnType<ServerLimiter['breaker']>, id: string) {
  if (state !== 'open') return undefined;
  return `circuit breaker open until ${retry_at} after ${failures} failed calls; \`bindery mcp reconnect ${id}\` closes it`;
}

const HELD_REASON = 'definitions wait for a person to accept them: bindery tools changes';

/** The number of a server's definitions that wait for a person, including those offered to single users. */
function heldOf({ catalogue, connections, stores }: ServerFacts, id: string): number {
  const offer = catalogue.offer(id);
  if (!connections.realms.isPerUser(id)) return offer ? heldCount(offer) : 0;
  const own = stores.registry.allPrivateOffers().filter(({ server }) => server === id);
  return own.reduce((sum, one) => sum + heldCount(one), 0);
}

const MEMBERS = [
  'id',
  'transport',
  'source',
  'enabled',
  'state',
  'reason',
  'connected',
  'status',
  'era',
  'protocol_version',
  'tools',
  'held',
  'breaker',
  'last_error',
  'last_connected_at',
  'last_health_check',
  'stderr',
  'server_info',
  'conflicts',
] as const;

/** Members in reading order: identity, state, contents, problems. */
function inOrder<T extends Record<(typeof MEMBERS)[number], unknown>>(item: T): T {
  return Object.fromEntries(MEMBERS.map((name) => [name, item[name]])) as T;
}

/** The status of a server with per-user connections: whether any user is connected. */
function perUserStatus(realms: Iterable<UserRealm>, id: string): ServerStatus | undefined {
  const statuses = [...realms].flatMap(({ host }) => host.statusOf(id) ?? []);
  const status = statuses.find(({ connected }) => connected) ?? statuses[0];
  const isWell = ({ state }: ServerStatus) => state === 'ready';
  // The sign-in state is private to a user; the failure of a server is not.
  const failed = statuses.find(({ state }) => state === 'error');
  if (failed && !statuses.some(isWell)) return failed;
  const none = {
    transport: 'http',
    era: undefined,
    protocolVersion: undefined,
    serverInfo: undefined,
    tools: 0,
  } as const;
  const never = { lastError: undefined, lastConnectedAt: undefined, lastProbedAt: undefined, stderr: undefined };
  const unused = { id, ...none, ...never, connected: false } as const;
  return { ...(status ?? unused), state: 'ready', reason: 'per user' };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
