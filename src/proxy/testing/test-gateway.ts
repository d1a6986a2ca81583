import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_SURFACES, type Surface } from '../../contract/approval-surfaces.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import { parsePolicy } from '../../gateway/policy/parse-policy.ts';
import { OutputPromises } from '../../gateway/search/output-promises.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import { ClientConnections, type Sharing } from '../../host/connection/pool/client-connections.ts';
import { connectServer } from '../../host/connection/supervision/connect-server.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { HttpPool } from '../../host/transports/http-pool.ts';
import type { Authorizer } from '../../host/transports/http-sender.ts';
import { ProcessSpawner } from '../../host/transports/process-spawner.ts';
import { ownSessions } from '../../runtime/connections/own-sessions.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { SqliteTaskOwners } from '../../store/registry/task-owner-store.ts';
import type { CallUpstream, Upstream } from '../../wire/upstream.ts';
import { ApprovalGate } from '../approvals/approval-gate.ts';
import { Gateway } from '../call/gateway.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { ServerLimiter } from '../call/server-limiter.ts';
import { PlainPosts } from '../fast-path/plain-posts.ts';
import { createHttpEdge } from '../http/http-edge.ts';
import { ChangeFeed } from '../lists/change-feed.ts';
import { LogLevels } from '../lists/log-levels.ts';
import type { ProfileSettings } from '../lists/profile-view.ts';
import { ResourceWatches } from '../lists/resource-watches.ts';
import { SignInGate, type SignInPort } from '../own-tools/sign-in-gate.ts';
import { AskedRounds } from '../sessions/asked-rounds.ts';
import { HeldCalls } from '../sessions/held-calls.ts';
import { SessionTable } from '../sessions/session-table.ts';
import { TaskOwners } from '../tasks/task-owners.ts';
import { LIMITER_DEFAULTS } from './limiter-defaults.ts';

export interface TestGatewayOptions {
  readonly servers: readonly ServerSpec[];
  readonly profiles?: readonly ProfileSettings[];
  /** For all servers; `auto` by default. */
  readonly sharing?: Sharing;
  /** How long a call waits for a person. */
  readonly approvalWaitMs?: number;
  /** How long a question stays open. */
  readonly approvalExpiresMs?: number;
  /** The surfaces on which calls may be approved. */
  readonly surfaces?: readonly Surface[];
  /** The keys for states that clients carry: the current one, then previous ones. */
  readonly keys?: readonly Uint8Array[];
  /** The database of task owners, to share between successive gateways. */
  readonly taskDatabase?: DatabaseSync;
  /** Masks secrets; knows none by default. */
  readonly redactor?: HostRedactor;
  /** The clock for policy decisions and audit records. */
  readonly now?: () => number;
  /** Text of a policy file. */
  readonly policy?: string;
  /** Signs callers in to servers with per-user credentials, and presents those credentials. */
  readonly signIns?: { readonly port: SignInPort; readonly authorizer: Authorizer };
  /** Remembered offers: these servers connect on their first call. */
  readonly remembered?: readonly ServerOffer[];
  /** Probes for tools that only some clients see. */
  readonly probes?: Pick<GatewayPorts, 'unprobed' | 'untilProbed'>;
}

/** A gateway on a free port, with real connections and everything else in memory. */
export async function startTestGateway(options: TestGatewayOptions) {
  const { servers, profiles, policy, remembered = [] } = options;
  const { keys = [Buffer.alloc(32, 1)] } = options;
  let { surfaces = DEFAULT_SURFACES } = options;
  const { approvalWaitMs = 50_000, approvalExpiresMs = 600_000 } = options;
  const clock = { now: Date.now };
  const audit: AuditEntry[] = [];
  const pool = new HttpPool();
  const spawner = new ProcessSpawner();
  const log = createMemoryLog();
  const feed = new ChangeFeed(log);
  const shared = new Map<string, Promise<Upstream>>();
  const specOf = (id: string) => servers.find((spec) => spec.id === id) as ServerSpec;
  const open = (id: string, info: { name: string; version: string }, capabilities: object) =>
    connectServer(specOf(id), {
      client: { info, callbacks: {}, capabilities: capabilities as never },
      dispatcherFor: (spec) => pool.entry(spec),
      environment: process.env,
      spawner,
      redact: (text) => text,
      authorizerFor: () => options.signIns?.authorizer,
    });
  const own = ownSessions({
    offerOf: (_own, { tools, resources, resourceTemplates, prompts }) => ({
      tools: offeredTools(tools as never, { pinned: false, inUse: new Map() }),
      resources,
      resourceTemplates,
      prompts,
    }),
    feed,
    log,
    now: clock.now,
  });
  const connections = new ClientConnections({
    shared: (id) => {
      const known = shared.get(id) ?? open(id, { name: 'bindery', version: '0' }, {});
      shared.set(id, known);
      return known;
    },
    openOwn: (id, client) => open(id, client.info ?? { name: 'unknown', version: '0' }, client.capabilities),
    sharing: () => options.sharing ?? 'auto',
    ...own.hooks(),
    now: clock.now,
  });
  const offers = new Map(remembered.map((offer) => [offer.server, offer]));
  for (const { id } of servers.filter((server) => !offers.has(server.id)))
    offers.set(
      id,
      await discover(
        await connections.connection(id, { key: '', capabilities: {}, info: undefined }, AbortSignal.timeout(20_000)),
        id,
      ),
    );

  let version = 0;
  const layersOf = (text: string | undefined): PolicyLayer[] =>
    text === undefined ? [] : [{ layer: 'project', file: 'project_mcp.json', policy: parsePolicy(text) }];
  let layers = layersOf(policy);
  let beforeAppend: (entry: AuditEntry) => void | Promise<void> = () => {};
  const settings: readonly ProfileSettings[] = profiles ?? [{ name: 'default', names: 'qualified' }];
  const limiters = new Map<string, ServerLimiter>();
  let approvalCount = 0;
  const held = new HeldCalls(keys, 'local');
  const store = new ApprovalStore(new DatabaseSync(':memory:'));
  const redactor = options.redactor ?? new HostRedactor();
  const approvals = new ApprovalGate({
    store,
    seal: (_approval, text) => text,
    clock,
    redactor,
    keys,
    settings: () => ({ expires_ms: approvalExpiresMs, wait_ms: approvalWaitMs }),
    newApprovalId: () => {
      approvalCount += 1;
      return `apr_${approvalCount}`;
    },
  });
  const ports: GatewayPorts = {
    tasks: new TaskOwners(new SqliteTaskOwners(options.taskDatabase ?? new DatabaseSync(':memory:'), clock.now), log),
    audit: {
      append: async (entry) => {
        await beforeAppend(entry);
        audit.push(entry);
      },
    },
    connections,
    redactor,
    log,
    promises: OutputPromises.logged(log),
    answerBytesMax: 8 * 1024 * 1024,
    limiterOf: (server) => {
      const known = limiters.get(server) ?? new ServerLimiter(clock, LIMITER_DEFAULTS);
      limiters.set(server, known);
      return known;
    },
    policyLayers: () => layers,
    filesOf: () => ({
      cwd: '/',
      home: '/home',
      root: (written) => written,
      open: (path) => [path],
      exists: () => false,
    }),
    isBare: (profile) => settings.some(({ name, names }) => name === profile && names === 'bare'),
    approvalSurfaces: () => surfaces,
    ...(options.signIns ? { signIns: new SignInGate(options.signIns.port, 20_000) } : {}),
    countRate: () => undefined,
    approvals,
    undiscovered: () => [],
    untilDiscovered: async () => {},
    ...options.probes,
    listsChanged: () => feed.changed(),
    held,
    rounds: new AskedRounds(keys),
    logLevels: new LogLevels(),
    subscriptions: own.subscriptions,
    ownLists: own.lists,
    watches: new ResourceWatches((server, signal) => connections.shared(server, signal)),
    newCallId: () => crypto.randomUUID(),
    now: () => new Date((options.now ?? Date.now)()).toISOString(),
  };
  const gateway = new Gateway({
    ports,
    source: { version: () => version, offers: () => offers.values(), policyLayers: () => layers },
    profiles: () => settings,
    info: { name: 'bindery', version: '0' },
  });
  const sessions = new SessionTable({
    keys,
    node: 'local',
    store: { session: () => undefined, saveSession: () => {}, evictedThrough: () => 0 },
    clock,
    onGone: (session) => connections.release(session.client.key),
  });
  const edge = createHttpEdge({
    gateway,
    sessions,
    feed,
    log,
    // The bearer token is the caller's name: this gateway does not test authentication.
    authenticate: ({ authorization }) => ({ name: authorization?.replace(/^Bearer /, '') ?? 'local' }),
    acceptsHost: () => true,
    isDraining: () => false,
  });
  const profileOf = (path: string) => /^\/mcp\/([^/?]+)/.exec(path)?.[1] ?? 'default';
  const server = createServer((request, response) => edge(request, response, profileOf(request.url ?? '')));
  const posts = new PlainPosts(server, (post, response, path) => edge(post, response, profileOf(path)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    url,
    audit,
    log,
    gateway,
    connections,
    sessions,
    approvals,
    store,
    setSurfaces: (allowed: readonly Surface[]) => {
      surfaces = allowed;
    },
    /** Changes what a server offers, as a re-discovery would. */
    setOffer: (offer: ServerOffer) => {
      offers.set(offer.server, offer);
      version += 1;
      feed.changed();
    },
    offers,
    setPolicy: (text: string) => {
      layers = layersOf(text);
      version += 1;
      feed.changed();
    },
    /** Runs before each entry is written; if it throws, the entry is not written. */
    beforeAppend: (run: (entry: AuditEntry) => void | Promise<void>) => {
      beforeAppend = run;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      posts.destroy();
      await connections.close();
      await Promise.allSettled([...shared.values()].map(async (upstream) => (await upstream).close()));
      await pool.destroy();
    },
  };
}

async function discover(upstream: CallUpstream, server: string): Promise<ServerOffer> {
  const { catalogue } = await listCatalogue(upstream, EMPTY_CATALOGUE, Date.now());
  return {
    server,
    era: upstream.era,
    protocolVersion: upstream.protocolVersion,
    serverInfo: upstream.serverInfo ?? null,
    capabilities: upstream.capabilities,
    instructions: upstream.instructions ?? null,
    tools: offeredTools(catalogue.tools as never, { pinned: false, inUse: new Map() }),
    resources: catalogue.resources,
    resourceTemplates: catalogue.resourceTemplates,
    prompts: catalogue.prompts,
  };
}
