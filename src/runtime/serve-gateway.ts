import type { ApprovalPlace } from '../gateway/operations/deps.ts';
import type { NameResolver } from '../host/connection/supervision/named-endpoint.ts';
import type { EdgeAccess, HttpEdge } from '../proxy/http/edge-request.ts';
import { serverItem } from './admin/server-item.ts';
import { exposureOf, startedWith } from './assembly-options.ts';
import { GatewayAssembly } from './gateway-assembly.ts';
import { mcpEdge } from './http/mcp-edge.ts';
import type { NodeTeam } from './nodes/node-team.ts';
import { approvalPlaces, type PolicyStatus } from './policy/policy-status.ts';
import type { ServedRoom, UpSettings } from './up-settings.ts';

/** The gateway in a serving command. */
export interface ServedGateway extends Omit<ServedRoom, 'bound'> {
  readonly runtime: GatewayAssembly;
  edge(access: EdgeAccess): HttpEdge;
  serverCount(): number;
  policy(): PolicyStatus;
  policyState(): 'none' | 'loaded' | 'degraded';
  exposure(): string;
  /** The surfaces on which calls of each profile may be approved. */
  approvalPlaces(): readonly ApprovalPlace[];
  runningCalls(): number;
  unreadyReasons(): Promise<readonly string[]>;
  drain(): void;
}

export interface ServeGatewayOptions {
  /** Resolves `ai://` names. */
  readonly names: NameResolver;
  /** False if another running gateway uses the same registry. */
  readonly ownsRegistry: boolean;
}

/** Starts the gateway before the other rooms are served: rooms with tools become its built-in servers. */
export async function serveGateway(
  settings: UpSettings,
  served: readonly ServedRoom[],
  options: ServeGatewayOptions,
): Promise<ServedGateway> {
  const { flags } = settings;
  const team = await teamOf(settings);
  const runtime = await startRuntime(settings, served, team, options).catch(async (thrown: unknown) => {
    await team?.close();
    throw thrown;
  });
  return {
    runtime,
    edge: (access) => mcpEdge(runtime, access),
    serverCount: () => runtime.config.servers.length,
    policy: () => runtime.policy.status(),
    policyState: () => policyState(runtime),
    exposure: () => exposureOf(flags.exposure) ?? runtime.config.settings.exposure ?? 'auto',
    approvalPlaces: () => approvalPlaces(runtime.config.settings),
    runningCalls: () => runtime.runningCalls(),
    unreadyReasons: () => unreadyReasons(runtime),
    drain: () => runtime.drain(),
    tryNext: () => [
      `curl ${settings.baseUrl()}/v1/servers`,
      'bindery mcp status      # the state of each server',
      'bindery audit tail      # what was called',
    ],
    warnings: () => (team?.isReachable() === false ? ['the database of the nodes cannot be reached'] : []),
    metrics: () => metricLines(runtime),
    close: async () => {
      await runtime.close();
      await team?.close();
    },
  };
}

async function startRuntime(
  settings: UpSettings,
  served: readonly ServedRoom[],
  team: NodeTeam | undefined,
  { names, ownsRegistry }: ServeGatewayOptions,
): Promise<GatewayAssembly> {
  const builtins = served
    .filter(({ hasTools }) => hasTools !== false)
    .map(({ bound }) => bound)
    .filter(({ room }) => room.operations.some(({ mcp }) => mcp !== false));
  const { nodes, shared } = team ?? {};
  const runtime = new GatewayAssembly({
    ...startedWith(settings),
    nodes,
    shared,
    names,
    builtins,
    ownsRegistry,
    baseUrl: settings.baseUrl,
  });
  await runtime.start();
  team?.shared.follow(runtime);
  return runtime;
}

/** The shared state with other nodes; its code is loaded only if there are any. */
async function teamOf(settings: UpSettings): Promise<NodeTeam | undefined> {
  if (settings.databaseUrl === undefined) return undefined;
  const { openNodeTeam } = await import('./nodes/node-team.ts');
  return openNodeTeam(settings.databaseUrl, settings);
}

function policyState(runtime: GatewayAssembly): 'none' | 'loaded' | 'degraded' {
  const { layers } = runtime.policy.status();
  if (layers.some(({ status }) => status !== 'ok')) return 'degraded';
  return layers.length === 0 ? 'none' : 'loaded';
}

/** Why this gateway should not get traffic now; without server names, since anyone may ask. */
async function unreadyReasons(runtime: GatewayAssembly): Promise<string[]> {
  // Servers with per-user credentials are left out: their readiness depends on the user.
  const required = runtime.config.servers.filter(
    ({ configured }) => configured.entry?.required === true && !runtime.connections.realms.isPerUser(configured.id),
  );
  const missing = required.filter(
    ({ configured, state }) =>
      state !== undefined || runtime.connections.host.statusOf(configured.id)?.state !== 'ready',
  );
  return [
    ...(runtime.isDraining ? ['draining'] : []),
    ...((await runtime.audit.writer.isReady()) ? [] : ['the audit log cannot be written']),
    ...(runtime.shared?.audit.isBehind ? ['the audit log waits for the database'] : []),
    ...(missing.length > 0 ? [`${missing.length} required servers are not ready`] : []),
  ];
}

const BREAKER_VALUE = { closed: 0, half_open: 1, open: 2 } as const;
const STATUS_VALUE = { stopped: 0, running: 1, error: 2 } as const;

function metricLines(runtime: GatewayAssembly): string[] {
  const { recorder, writer } = runtime.audit;
  const statuses = runtime.servers
    .ids()
    .map((id) => `bindery_server_status{server="${id}"} ${STATUS_VALUE[serverItem(runtime, id).status]}`);
  const breakers = runtime.servers
    .ids()
    .map((id) => `bindery_breaker_state{server="${id}"} ${BREAKER_VALUE[runtime.limiters.of(id).breaker().state]}`);
  return [
    ...recorder.metrics.lines(),
    '# TYPE bindery_server_status gauge',
    ...statuses,
    '# TYPE bindery_breaker_state gauge',
    ...breakers,
    '# TYPE bindery_approvals_pending gauge',
    `bindery_approvals_pending ${runtime.stores.approvals.pendingCount()}`,
    '# TYPE bindery_sessions gauge',
    `bindery_sessions ${runtime.sessions.table.size}`,
    '# TYPE bindery_audit_head_seq gauge',
    `bindery_audit_head_seq{chain="${writer.chain}"} ${writer.head.seq}`,
    ...(recorder.tracing?.metrics() ?? []),
  ];
}
