import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { CancelSignal } from '../contract/cancellation.ts';
import type { ServerOffer } from '../gateway/catalogue/server-offer.ts';
import { GATEWAY_LIMITS } from '../gateway/limits.ts';
import type { PolicyLayer } from '../gateway/policy/decide.ts';
import { unreadablePolicy } from '../gateway/policy/parse-policy.ts';
import { OutputPromises } from '../gateway/search/output-promises.ts';
import { CLIENT_INFO } from '../host/client-info.ts';
import { surfacesOf } from '../host/config/gateway-settings.ts';
import { watchFiles } from '../host/config/watch-files.ts';
import { ClientConnections } from '../host/connection/pool/client-connections.ts';
import { createHost, type Host } from '../host/host.ts';
import { HostRedactor } from '../host/redact/host-redactor.ts';
import { configuredTokens } from '../host/redact/observed-tokens.ts';
import type { ApprovalGate } from '../proxy/approvals/approval-gate.ts';
import { Gateway } from '../proxy/call/gateway.ts';
import type { GatewayPorts } from '../proxy/call/gateway-ports.ts';
import { type RateCounter, RateLimits } from '../proxy/call/rate-limits.ts';
import type { ServerLimiter } from '../proxy/call/server-limiter.ts';
import { createHttpEdge, type EdgeDoor, type HttpEdge } from '../proxy/http/http-edge.ts';
import { PROXY_LIMITS } from '../proxy/limits.ts';
import { ChangeFeed } from '../proxy/lists/change-feed.ts';
import { LogLevels } from '../proxy/lists/log-levels.ts';
import { ResourceWatches } from '../proxy/lists/resource-watches.ts';
import { SignInGate } from '../proxy/own-tools/sign-in-gate.ts';
import { HeldCalls } from '../proxy/sessions/held-calls.ts';
import { SessionTable } from '../proxy/sessions/session-table.ts';
import { TaskOwners } from '../proxy/tasks/task-owners.ts';
import { ApprovalStore } from '../store/approvals/approval-store.ts';
import { WebhookOutbox } from '../store/approvals/webhook-outbox.ts';
import type { AuditWriter } from '../store/audit/audit-writer.ts';
import { CredentialIndex } from '../store/credentials/credential-index.ts';
import { KeyStore } from '../store/keys/key-store.ts';
import { openDatabase, waitBriefly } from '../store/open-database.ts';
import { PolicyFiles } from '../store/policy/policy-files.ts';
import { PolicyVersions } from '../store/policy/policy-versions.ts';
import { RegisteredServers } from '../store/registry/registered-servers.ts';
import { RegistryStore } from '../store/registry/registry-store.ts';
import { SqliteTaskOwners } from '../store/registry/task-owner-store.ts';
import { uuidV7 } from '../store/uuid-v7.ts';
import type { NotificationMessage } from '../wire/json.ts';
import type { CallUpstream } from '../wire/upstream.ts';
import { approvalGate } from './approvals/approval-gate-of.ts';
import { ApprovalWebhooks } from './approvals/approval-webhooks.ts';
import type { AuditUpkeep } from './audit/audit-upkeep.ts';
import { CallRecorder } from './audit/call-recorder.ts';
import { callTracing } from './audit/call-tracing.ts';
import { isoTime } from './audit/iso-time.ts';
import { auditUpkeep, callLog, openAudit } from './audit/open-audit.ts';
import { asksPerson } from './catalogue/approval-column.ts';
import { BUILTIN_SERVERS, type BuiltinServer, builtinServer } from './catalogue/builtin-server.ts';
import { CatalogueLearner } from './catalogue/catalogue-learner.ts';
import { changeEntry } from './catalogue/change-entry.ts';
import { firstDiscoveries, undiscovered } from './catalogue/first-discoveries.ts';
import { RegistryKeeper } from './catalogue/registry-keeper.ts';
import { restingCatalogues } from './catalogue/resting-catalogues.ts';
import { ServerCatalogue, type ServerPlace } from './catalogue/server-catalogue.ts';
import { type ConfiguredProfile, configuredProfiles } from './config/configured-profiles.ts';
import { EffectiveConfig, type EffectiveServer, endpointOf } from './config/effective-config.ts';
import { guardSettings } from './config/guard-settings.ts';
import { privateKey } from './config/private-file.ts';
import { connectKept } from './connections/connect-kept.ts';
import { openOwnConnection } from './connections/own-connection.ts';
import { type OwnSessions, ownSessionsOf } from './connections/own-sessions.ts';
import { ServerGuards } from './connections/server-guards.ts';
import { sharedConnection, userConnections } from './connections/user-connections.ts';
import { UP_LIMITS } from './limits.ts';
import { healthOf } from './nodes/health-of-nodes.ts';
import type { SeveralNodes } from './nodes/several-nodes.ts';
import type { SharedState } from './nodes/shared-state.ts';
import { filesOfServer } from './policy/argument-files.ts';
import { policyPaths } from './policy/policy-paths.ts';
import { PolicyReport } from './policy/policy-report.ts';
import { policyStatus } from './policy/policy-status.ts';
import type { GatewayRuntimeOptions } from './runtime-options.ts';
import type { RunningSearch } from './search/running-search.ts';
import { searchOf } from './search/search-of.ts';
import { CallbackDesk } from './users/callback-desk.ts';
import { endLapsedKeys } from './users/end-lapsed-keys.ts';
import { OAuthAccess } from './users/oauth-access.ts';
import { type UserRealmPortsOptions, userRealmPorts } from './users/user-realm-ports.ts';
import { UserRealms } from './users/user-realms.ts';
import { isFollowed } from './workers/follow-primary.ts';

/** For a call that waited while its profile was removed: what the profile held back is not known any more. */
const GONE_PROFILE: PolicyLayer = { layer: 'profile', file: null, policy: unreadablePolicy('the profile is gone') };

/** A gateway at work: config, connections, registry, policy, approvals, audit and the `/mcp` edge, wired together. */
export class GatewayRuntime {
  readonly config: EffectiveConfig;
  readonly host: Host;
  readonly registry: RegistryStore;
  readonly registered: RegisteredServers;
  readonly credentials: CredentialIndex;
  readonly access: OAuthAccess;
  readonly catalogue: ServerCatalogue;
  readonly policyFiles: PolicyFiles;
  readonly policyVersions: PolicyVersions;
  readonly approvalStore: ApprovalStore;
  readonly approvals: ApprovalGate;
  readonly audit: AuditWriter;
  readonly keys: KeyStore;
  readonly upkeep: AuditUpkeep;
  readonly sessions: SessionTable;
  readonly gateway: Gateway;
  readonly feed: ChangeFeed;
  readonly recorder: CallRecorder;
  readonly connections: ClientConnections;
  readonly own: OwnSessions;
  readonly realms: UserRealms;
  readonly desk = new CallbackDesk();
  readonly builtins: ReadonlyMap<string, BuiltinServer>;
  readonly redactor = new HostRedactor();
  readonly search: RunningSearch;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly registryFile: string;
  readonly nodes: SeveralNodes | undefined;
  readonly shared: SharedState | undefined;
  isDraining = false;
  readonly #options: GatewayRuntimeOptions;
  readonly #database: DatabaseSync;
  readonly #held: HeldCalls;
  readonly #tasks: TaskOwners;
  readonly #logLevels = new LogLevels();
  readonly #watches: ResourceWatches;
  readonly #guards: ServerGuards;
  readonly #rates: RateCounter;
  readonly #learner: CatalogueLearner;
  readonly #keeper: RegistryKeeper | undefined;
  readonly #endLapsedKeys: () => void;
  readonly #policyReport: PolicyReport | undefined;
  readonly #webhooks?: ApprovalWebhooks;
  readonly #ending: (() => void)[] = [];
  #profiles: readonly ConfiguredProfile[] = [];

  constructor(options: GatewayRuntimeOptions) {
    const { dataDir, configDir, configFile, projectDir, clock, log, env } = options;
    this.#options = options;
    this.feed = new ChangeFeed(log);
    this.projectDir = projectDir;
    this.env = env;
    this.registryFile = options.registryFile;
    this.nodes = options.nodes;
    this.shared = options.shared;
    this.#rates = options.shared?.rates(clock) ?? new RateLimits(clock);
    this.#guards = new ServerGuards(clock, (server) => guardSettings(this.#entry(server), options.follower));
    this.#database = openDatabase(options.registryFile);
    this.registry = new RegistryStore(this.#database);
    this.registered = new RegisteredServers(this.#database);
    this.credentials = new CredentialIndex(this.#database);
    this.access = new OAuthAccess({ now: clock.now, log, sessions: () => this.sessions });
    this.catalogue = new ServerCatalogue(this.registry, this.#database, log, clock, (tool) =>
      asksPerson(this.policyLayers('default'), tool),
    );
    const tokens = configuredTokens(configFile, this.redactor);
    const { trustProject, names } = options;
    const versions = new PolicyVersions(this.#database, options.follower !== undefined);
    this.policyVersions = versions;
    this.config = new EffectiveConfig({
      configFile,
      configDir,
      projectDir,
      dataDir,
      trustProject,
      env,
      redactor: this.redactor,
      tokens,
      log,
      registered: () => this.registered.list().filter(({ manifest }) => !BUILTIN_SERVERS.includes(manifest.name)),
      versions,
      isFollower: options.follower !== undefined,
    });
    const policies = policyPaths(options.policyFile, configDir, projectDir);
    this.policyFiles = new PolicyFiles(policies, {
      versions,
      clock,
      log,
      ...(options.follower ? { inForce: ({ file }) => options.follower?.policyFiles.includes(file) === true } : {}),
    });
    // What a worker would say, the primary says.
    this.#policyReport = options.follower ? undefined : new PolicyReport(log);
    for (const { room } of options.builtins) {
      if (room.auditedArguments) this.redactor.restrict(room.name, room.auditedArguments);
    }
    this.builtins = new Map(options.builtins.map((bound) => [bound.room.name, builtinServer(bound, options)]));
    this.host = createHost({
      client: { info: CLIENT_INFO, callbacks: {} },
      environment: env,
      redact: (text) => this.redactor.text(text),
      log,
      tokens,
      names,
      clientMetadataUrl: () => this.desk.clientMetadataUrl,
      ...(options.probe ? { probe: options.probe } : {}),
      ...healthOf(options),
    });
    this.#learner = new CatalogueLearner(this, (change) => this.audit.append(changeEntry(change, this.#ports())), log);
    if (!options.follower) {
      this.#learner.begin();
      this.#keeper = new RegistryKeeper(this, { isOwner: options.ownsRegistry ?? true, log, now: clock.now });
      this.#keeper.begin();
    }
    this.#ending.push(
      () => this.#learner.end(),
      () => this.catalogue.end(),
    );
    this.own = ownSessionsOf(this, log, clock);
    const openOwn: UserRealmPortsOptions['openOwn'] = (host, server, client) =>
      openOwnConnection(host, server, client, this.nodes);
    this.connections = new ClientConnections({
      shared: (server, signal) => this.#shared(server, signal),
      openOwn: (server, client) => openOwn(this.host, server, client),
      sharing: (server) => this.#entry(server)?.sharing ?? 'auto',
      ...this.own.hooks(),
      now: clock.now,
    });
    const realms = userRealmPorts({ runtime: this, dataDir, database: this.#database, clock, log, env, openOwn });
    this.realms = new UserRealms(realms, this.desk);
    this.#watches = new ResourceWatches((server, signal, owner) =>
      sharedConnection(this.connections, this.realms, server, signal, owner),
    );
    this.host.on('notification', (server: string, { method, params }: NotificationMessage) =>
      this.feed.emit('notice', { server, key: undefined, method, params }),
    );
    this.host.on('removed', (id) => this.connections.retire(id));
    const keys = options.nodes?.keys ?? [privateKey(join(dataDir, 'session.key'))];
    this.#tasks = new TaskOwners(new SqliteTaskOwners(this.#database, clock.now), log);
    this.#held = new HeldCalls(keys, options.node, options.nodes?.others.continueHeld);
    this.audit = openAudit(options);
    this.search = searchOf(this, options, () => this.#profiles.map(({ name }) => this.gateway.view(name)));
    if (!options.follower) this.feed.on('changed', () => this.search.prepareSoon());
    this.recorder = new CallRecorder(callLog(this), {
      tracing: callTracing(options),
      userOf: (caller) => this.access.verifier?.userOf(caller) ?? this.nodes?.processes.userOf(caller),
      onEnd: () => this.search.noteCall(),
      onCounted: options.follower?.onEnded,
    });
    this.upkeep = auditUpkeep(this, options);
    this.keys = new KeyStore(this.#database, clock);
    this.#endLapsedKeys = endLapsedKeys(this.keys, log);
    this.approvalStore = new ApprovalStore(this.#database);
    this.approvals = approvalGate(this, options, keys);
    const webhooks = () => this.config.settings.approvals?.webhooks ?? [];
    const outbox = new WebhookOutbox(this.#database);
    const { redactor } = this;
    if (!options.follower)
      this.#webhooks = new ApprovalWebhooks({ outbox, webhooks, redactor, configFile, env, clock, log });
    this.sessions = new SessionTable({
      keys,
      node: options.node,
      store: this.registry,
      clock,
      onEnded: (session) => this.feed.emit('session-ended', session),
      onGone: ({ client }) => {
        this.approvals.endSession(client.key);
        this.gateway.ports.connections.release(client.key);
        this.#watches.release(client.key);
        this.gateway.forget(client.key);
      },
    });
    this.gateway = new Gateway({
      ports: this.#ports(),
      source: {
        version: () => this.catalogue.version,
        offers: () => this.offers(),
        policyLayers: (profile) => this.policyLayers(profile),
        isQuarantined: (server) => this.effective(server)?.isQuarantined ?? false,
        privateTo: (settings, caller) => this.realms.privateTo(settings, caller),
        searchAids: this.search,
      },
      profiles: () => this.#profiles,
      info: { name: 'bindery', version: options.version },
    });
  }

  /** Reads the config and begins; it waits for no server. */
  async start(): Promise<void> {
    // Where nodes share it, a thread of ours copies into the registry, and whoever writes beside it waits for its turn.
    if (!this.shared) waitBriefly(this.#database);
    await this.config.reload();
    for (const [id, builtin] of this.builtins) this.#offerBuiltin(builtin.offer(id));
    this.access.configure(this.config.settings.auth?.oauth);
    this.#apply();
    this.#ending.push(
      this.config.watch(() => this.#apply()),
      watchFiles(this.policyFiles.files, () => this.#readPolicyAgain()),
    );
    await this.shared?.ship(this.audit, this.#options.dataDir);
    await this.nodes?.begin(this, this.#held);
    this.#webhooks?.start(this.approvals);
    const jobs = setInterval(() => this.#runJobs(), UP_LIMITS.jobsEveryMs);
    jobs.unref();
    this.#ending.push(() => clearInterval(jobs), this.upkeep.start());
  }

  /** The handler of `/mcp` and `/mcp/<profile>`. */
  edge(options: EdgeDoor): HttpEdge {
    const { gateway, sessions, feed } = this;
    const door = this.nodes?.door(options) ?? options;
    const isDraining = () => this.isDraining;
    return createHttpEdge({ gateway, sessions, feed, log: this.#options.log, isDraining, ...door });
  }

  /** Configured servers, then built-in ones. */
  serverIds(): string[] {
    return [...this.config.servers.map(({ configured }) => configured.id), ...this.builtins.keys()];
  }

  /** What servers offered when they were last seen; of those that are disabled, untrusted or invalid nothing can be called. */
  offers(): ServerOffer[] {
    const served = this.config.servers.flatMap(({ configured: { id }, spec }) =>
      spec === undefined || this.realms.isPerUser(id) ? [] : [id],
    );
    return this.catalogue.offersOf([...served, ...this.builtins.keys()]);
  }

  /** Reads the configuration anew and applies it. */
  async refresh(): Promise<void> {
    await this.config.reload();
    this.#apply();
  }

  /** Reads policy again, and accepts that a file is gone: a person said so. */
  async acceptPolicy(): Promise<void> {
    this.policyFiles.accept();
    await this.config.reload(true);
    this.#apply();
    this.feed.emit('policy-accepted');
  }

  effective(id: string): EffectiveServer | undefined {
    return this.config.find(id);
  }

  /** Where a configured or registered server is, and what of it is held; undefined: there is none. */
  placeOf(id: string): ServerPlace | undefined {
    const server = this.effective(id);
    if (!server) return undefined;
    const { isPinned: pinned, isQuarantined: quarantined } = server;
    // An address may hold a password or a key: the registry is read by others than its owner's programs.
    return { endpoint: this.redactor.text(endpointOf(server)), pinned, quarantined };
  }

  guardOf(server: string): ServerLimiter {
    return this.#guards.of(server);
  }

  profiles(): readonly ConfiguredProfile[] {
    return this.#profiles;
  }

  policyLayers(profile: string): readonly PolicyLayer[] {
    const own = this.#profiles.find(({ name }) => name === profile)?.policies ?? [GONE_PROFILE];
    return own.length === 0 ? this.policyFiles.layers() : [...this.policyFiles.layers(), ...own];
  }

  /** Lists may look different now: whoever watches is told. */
  changed(): void {
    this.catalogue.touch();
    this.feed.changed();
  }

  /** Calls that have not ended, sent or not. */
  runningCalls(): number {
    return this.#guards.running() + this.approvals.waiting + (this.nodes?.processes.passing ?? 0);
  }

  /** Takes no new calls; running ones have their time, and those that wait for a person are told to come again. */
  drain(): void {
    this.isDraining = true;
    this.approvals.stopWaiting();
    this.nodes?.drain();
  }

  async close(): Promise<void> {
    for (const end of this.#ending) end();
    this.approvals.stopWaiting();
    this.#guards.refuseQueued();
    await this.#webhooks?.close();
    await this.search.close();
    this.#held.close();
    await this.connections.close();
    await this.realms.close();
    await this.host.close();
    await this.recorder.tracing?.close();
    await this.audit.close();
    await this.upkeep.noteInFile();
    this.#keeper?.end();
    await this.shared?.close();
    await this.nodes?.close();
    this.#database.close();
  }

  #apply(): void {
    this.access.reconfigure(this.config.settings.auth?.oauth);
    this.upkeep.configure();
    const { follower, log } = this.#options;
    this.catalogue.configure((id) => this.placeOf(id));
    try {
      if (!follower) this.catalogue.releaseHeld();
    } catch (error) {
      log.warn('definitions stay held, because the registry cannot be written', { error });
    }
    const all = this.config.servers.flatMap(({ spec }) => spec ?? []);
    const specs = follower ? all.filter((spec) => isFollowed(spec, this.catalogue)) : all;
    const isPerUser = ({ id }: { id: string }) => this.#entry(id)?.credentials === 'per_user';
    this.realms.apply(specs.filter(isPerUser));
    this.search.configure();
    this.catalogue.meet(specs.map(({ id }) => id));
    this.host.apply(
      specs.filter((spec) => !isPerUser(spec)),
      restingCatalogues(this.offers()),
    );
    this.#guards.configure();
    this.#profiles = configuredProfiles(this.config.settings, this.#options.exposure, this.#options.log);
    this.#policyReport?.report(policyStatus(this));
    connectKept(this);
    this.changed();
    this.#keeper?.serversChanged();
  }

  /** What a built-in server offers is served also where it cannot be written down. */
  #offerBuiltin(offer: ServerOffer): void {
    try {
      if (!this.#options.follower) this.catalogue.keepBuiltin(offer);
    } catch (error) {
      this.#options.log.warn('a catalogue could not be kept', { server: offer.server, error });
    }
    this.catalogue.put(offer);
  }

  #readPolicyAgain(): void {
    const before = JSON.stringify(this.policyFiles.status());
    this.policyFiles.reload();
    if (JSON.stringify(this.policyFiles.status()) === before) return;
    this.#policyReport?.report(policyStatus(this));
    this.changed();
  }

  #shared(server: string, signal: CancelSignal): Promise<CallUpstream> | CallUpstream {
    return this.builtins.get(server) ?? this.host.liveOf(server) ?? this.host.connection(server, signal);
  }

  #entry(server: string) {
    return this.effective(server)?.configured.entry;
  }

  #ports(): GatewayPorts {
    const { clock, random, log, projectDir, dataDir } = this.#options;
    const { config } = this;
    return {
      audit: this.recorder,
      keepRaw: (callId, args) => this.upkeep.keepRaw(callId, args),
      noteTrace: this.recorder.tracing?.note,
      connections: userConnections(this.connections, this.realms),
      signIns: new SignInGate(this.realms, PROXY_LIMITS.signInWaitMs),
      approvals: this.approvals,
      held: this.#held,
      tasks: this.#tasks,
      watches: this.#watches,
      logLevels: this.#logLevels,
      promises: OutputPromises.logged(log),
      subscriptions: this.own.subscriptions,
      ownLists: this.own.lists,
      redactor: this.redactor,
      log,
      get outputBytesMax() {
        return config.settings.output_bytes_max ?? GATEWAY_LIMITS.outputBytesMax;
      },
      limiterOf: (server) => this.guardOf(server),
      policyLayers: (profile) => this.policyLayers(profile),
      filesOf: (server, { capabilities }) =>
        filesOfServer({
          server: this.effective(server)?.configured,
          projectDir,
          dataDir,
          env: this.env,
          hasClientRoots: capabilities.roots !== undefined,
        }),
      isBare: (profile) => this.#profiles.some(({ name, names }) => name === profile && names === 'bare'),
      approvalSurfaces: ({ caller, profile }) =>
        surfacesOf(config.settings, profile, this.keys.ofCaller(caller)?.surfaces),
      countRate: (client, target, perMinute) =>
        this.#rates.count(client, target, perMinute, this.config.settings.limits),
      undiscovered: () => undiscovered(this),
      untilDiscovered: (signal, servers) => firstDiscoveries(this, signal, servers),
      looking: () => this.#learner.looking,
      listsChanged: () => this.feed.changed(),
      newCallId: () => uuidV7(clock.now(), random),
      now: isoTime(clock),
    };
  }

  #runJobs(): void {
    this.sessions.reclaim();
    this.connections.closeIdle();
    this.realms.closeIdle();
    this.#rates.reclaim();
    this.#endLapsedKeys();
    // A change between the first reading and the first look of the watch is seen by nobody else.
    this.#readPolicyAgain();
    if (this.#options.follower) return;
    this.approvals.expire().catch((error: unknown) => this.#options.log.warn('approvals wait to expire', { error }));
    if (this.#keeper?.keep()) this.#learner.keepAgain();
  }
}
