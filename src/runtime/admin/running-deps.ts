import { heldCount } from '../../gateway/catalogue/server-offer.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge } from '../../gateway/policy/decide.ts';
import type { ServerStatus } from '../../host/connection/supervision/server-status.ts';
import { inTurns, threadedAudit } from '../audit/threaded-audit.ts';
import { conflictsOf, conflictText } from '../catalogue/name-conflicts.ts';
import { offersOf, toolChanges, toolItems } from '../catalogue/registry-tools.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import { sharedAuditDeps } from '../nodes/shared-audit.ts';
import { degradedMember, policyStatus } from '../policy/policy-status.ts';
import { searchDeps } from '../search/search-deps.ts';
import { fileDeps } from './file-deps.ts';
import { serverAdministration } from './server-administration.ts';

/** What the admin operations run on while a gateway runs. */
export function runningDeps(
  runtime: GatewayRuntime,
  dataDir: string,
  now: () => number,
  baseUrl: () => string,
): GatewayDeps {
  const config = runtime.config.store;
  const files = fileDeps({
    dataDir,
    registryFile: runtime.registryFile,
    projectDir: runtime.projectDir,
    env: runtime.env,
    versions: runtime.policyVersions,
    builtins: [...runtime.builtins.keys()],
    config,
    policyFiles: runtime.policyFiles,
    approvals: runtime.approvalStore,
    registry: runtime.registry,
    definitions: runtime.catalogue.definitions,
    credentials: runtime.credentials,
    now,
  });
  return {
    ...files,
    servers: {
      list: () =>
        runtime
          .serverIds()
          .map((id) => serverItem(runtime, id))
          .sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))),
      find: (id) => (runtime.serverIds().includes(id) ? serverDetail(runtime, id) : undefined),
      configError: () => runtime.config.error ?? runtime.access.error,
      ...serverAdministration({ runtime, dataDir, baseUrl, now }),
    },
    tools: {
      list: (profile) => {
        const { name, servers } =
          profile === undefined ? { name: 'default', servers: undefined } : runtime.gateway.view(profile).settings;
        const offers = offersOf(runtime.offers(), servers ? { servers } : {});
        return toolItems(offers, runtime.policyLayers(name), (json) => runtime.catalogue.tokensOf(json));
      },
      accept: async (server, seen) => {
        const accepted = runtime.catalogue.accept(server, seen);
        if (accepted) {
          for (const realm of runtime.realms.all()) realm.recall();
          runtime.changed();
          await runtime.shared?.registry.flush();
        }
        return accepted;
      },
      ofUsers: files.tools.ofUsers,
      changes: () =>
        toolChanges([...runtime.offers(), ...runtime.registry.allPrivateOffers()], runtime.catalogue.definitions),
    },
    credentials: {
      ...files.credentials,
      clear: async (user, server) => {
        if (!(await files.credentials.clear(user, server))) return false;
        const realm = runtime.realms.find(user);
        await realm?.signOut(server);
        realm?.recall();
        runtime.changed();
        return true;
      },
    },
    search: searchDeps({
      config,
      view: (profile) => runtime.gateway.view(profile),
      missing: () => runtime.gateway.ports.undiscovered(),
      tokensOf: (json) => runtime.catalogue.tokensOf(json),
    }),
    approvals: {
      ...files.approvals,
      refresh: () => runtime.approvals.refresh(),
      decide: (id, decision) => runtime.approvals.decide(id, decision),
    },
    policy: {
      ...files.policy,
      status: () => policyStatus(runtime) as never,
      check: ({ server, tool, arguments: args, profile = 'default' }) => {
        const { filesOf } = runtime.gateway.ports;
        const { decision } = judge(runtime.policyLayers(runtime.gateway.view(profile).settings.name), {
          server,
          tool,
          ...(args === undefined
            ? {}
            : { arguments: { value: args, files: () => filesOf(server, { capabilities: {} }) } }),
        });
        return { ...decision, ...degradedMember(policyStatus(runtime).layers, profile) };
      },
      reload: () => runtime.acceptPolicy(),
    },
    audit: inTurns(
      runtime.shared
        ? sharedAuditDeps(files.audit, runtime.shared.readAudit.bind(runtime.shared))
        : threadedAudit(files.audit, { dataDir, registryFile: runtime.registryFile, config }),
    ),
  };
}

export function serverItem(runtime: GatewayRuntime, id: string) {
  const { stderr: _stderr, server_info: _info, conflicts: _conflicts, ...item } = serverDetail(runtime, id);
  return item;
}

function serverDetail(runtime: GatewayRuntime, id: string) {
  const guard = runtime.guardOf(id);
  const offer = runtime.catalogue.offer(id);
  const conflicts = conflictsOf(runtime, id);
  const isServed = runtime.builtins.has(id) || runtime.effective(id)?.spec !== undefined;
  const held = isServed ? heldOf(runtime, id) : 0;
  const common = {
    id,
    era: offer?.era ?? null,
    protocol_version: offer?.protocolVersion ?? null,
    server_info: (offer?.serverInfo as Record<string, unknown> | null | undefined) ?? null,
    tools: isServed ? (offer?.tools.filter(({ status }) => status === 'active').length ?? 0) : 0,
    held,
    conflicts,
    breaker: guard.breaker(),
    last_health_check: timeOf(runtime.host.statusOf(id)?.lastProbedAt),
  };
  if (runtime.builtins.has(id)) {
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
  const effective = runtime.effective(id);
  const status = runtime.realms.isPerUser(id) ? perUserStatus(runtime, id) : runtime.host.statusOf(id);
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
      (held > 0 && state === 'ready' ? HELD_REASON : undefined) ??
      runtime.nodes?.processes.reasonOf(id) ??
      status?.reason ??
      conflictText(conflicts) ??
      null,
    connected,
    status:
      state === 'error' || state === 'auth_required'
        ? ('error' as const)
        : connected
          ? ('running' as const)
          : ('stopped' as const),
    last_error: status?.lastError ?? guard.lastFailure ?? (state === 'error' ? (effective?.reason ?? null) : null),
    last_connected_at: timeOf(status?.lastConnectedAt),
    stderr: status?.stderr ?? null,
  });
}

const HELD_REASON = 'definitions wait for a person to accept them: bindery tools changes';

/** Definitions of a server that wait for a person, also those that single users are offered. */
function heldOf(runtime: GatewayRuntime, id: string): number {
  const offer = runtime.catalogue.offer(id);
  if (!runtime.realms.isPerUser(id)) return offer ? heldCount(offer) : 0;
  const own = runtime.registry.allPrivateOffers().filter(({ server }) => server === id);
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

/** The members as people read them: what it is, how it is, what it has, what went wrong. */
function inOrder<T extends Record<(typeof MEMBERS)[number], unknown>>(item: T): T {
  return Object.fromEntries(MEMBERS.map((name) => [name, item[name]])) as T;
}

/** Of a server that each user connects to: that it is there, and whether anybody is connected. */
function perUserStatus(runtime: GatewayRuntime, id: string): ServerStatus | undefined {
  const statuses = [...runtime.realms.all()].flatMap(({ host }) => host.statusOf(id) ?? []);
  const status = statuses.find(({ connected }) => connected) ?? statuses[0];
  const isWell = ({ state }: ServerStatus) => state === 'ready';
  // What users are told of a sign-in is theirs; that the server fails is everybody's.
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
