import { BinderyError } from '../contract/errors.ts';
import { Gateway } from '../proxy/call/gateway.ts';
import { ChangeFeed } from '../proxy/lists/change-feed.ts';
import { ApprovalWebhooks } from './approvals/approval-webhooks.ts';
import { approvalGate } from './approvals/approvals.ts';
import type { AssemblyOptions } from './assembly-options.ts';
import { CallAudit } from './audit/call-audit.ts';
import { callPorts } from './call-ports.ts';
import { BUILTIN_SERVERS, builtinServer } from './catalogue/builtin-server.ts';
import { CatalogueUpdater } from './catalogue/catalogue-updater.ts';
import { offerChooser } from './catalogue/chosen-offers.ts';
import { RegistryWriter } from './catalogue/registry-writer.ts';
import { ServedServers } from './catalogue/served-servers.ts';
import { ServerCatalogue } from './catalogue/server-catalogue.ts';
import { EffectiveConfig } from './config/effective-config.ts';
import { GatewayConnections } from './connections/gateway-connections.ts';
import { ServerLimiters } from './connections/server-limiters.ts';
import { GatewayStores } from './gateway-stores.ts';
import { UP_LIMITS } from './limits.ts';
import { healthOf } from './nodes/health-of-nodes.ts';
import { asksPerson, PolicyInForce, policyPaths } from './policy/policy-in-force.ts';
import { RunningSearch } from './search/running-search.ts';
import { ClientSessions } from './sessions/client-sessions.ts';
import { OAuthAccess } from './users/oauth-access.ts';
import { userSide } from './users/user-side.ts';

/** A running gateway: creates its parts in order, starts them, applies config changes, drains and closes. */
export class GatewayAssembly {
  readonly feed: ChangeFeed;
  readonly stores: GatewayStores;
  readonly config: EffectiveConfig;
  readonly policy: PolicyInForce;
  readonly catalogue: ServerCatalogue;
  readonly servers: ServedServers;
  readonly limiters: ServerLimiters;
  readonly access: OAuthAccess;
  readonly audit: CallAudit;
  readonly search: RunningSearch;
  readonly connections: GatewayConnections;
  readonly updater: CatalogueUpdater;
  readonly sessions: ClientSessions;
  readonly approvals: ReturnType<typeof approvalGate>;
  readonly gateway: Gateway;
  readonly options: AssemblyOptions;
  readonly nodes: AssemblyOptions['nodes'];
  readonly shared: AssemblyOptions['shared'];
  isDraining = false;
  readonly #registryWriter: RegistryWriter | undefined;
  readonly #webhooks: ApprovalWebhooks;
  readonly #ending: (() => void)[] = [];

  constructor(options: AssemblyOptions) {
    const { clock, log, nodes, shared, follower } = options;
    const isFollower = follower !== undefined;
    this.options = options;
    this.nodes = nodes;
    this.shared = shared;
    this.feed = new ChangeFeed(log);
    this.stores = new GatewayStores({ ...options, isFollower });
    const { registry, registered, database, policyVersions: versions } = this.stores;
    this.config = new EffectiveConfig({
      ...options,
      registered: () => registered.list().filter(({ manifest }) => !BUILTIN_SERVERS.includes(manifest.name)),
      versions,
      isFollower,
    });
    const { config } = this;
    for (const { room } of options.builtins) {
      if (room.auditedArguments) config.redactor.restrict(room.name, room.auditedArguments);
    }
    this.policy = this.#createPolicy();
    this.catalogue = new ServerCatalogue({
      registry,
      database,
      log,
      clock,
      placeOf: (server) => config.placeOf(server),
      chosenOf: offerChooser((server) => config.entryOf(server)),
      asksPerson: (tool) => asksPerson(this.policy.layers('default'), tool),
    });
    this.servers = new ServedServers({
      config,
      builtins: new Map(options.builtins.map((bound) => [bound.room.name, builtinServer(bound, options)])),
      catalogue: this.catalogue,
      isPerUser: (server) => this.connections.realms.isPerUser(server),
      isFollower,
      log,
    });
    const entryOf = (server: string) => config.entryOf(server);
    this.limiters = new ServerLimiters({
      clock,
      entryOf,
      workers: follower?.workers ?? 1,
      rates: shared?.rates(clock),
    });
    this.access = new OAuthAccess({ now: clock.now, log, sessions: () => this.sessions.table });
    this.audit = this.#createAudit();
    this.search = this.#createSearch();
    this.connections = this.#createConnections();
    this.updater = this.#createUpdater();
    this.#registryWriter = isFollower
      ? undefined
      : new RegistryWriter(this, { isOwner: options.ownsRegistry ?? true, log, now: clock.now });
    this.sessions = new ClientSessions({
      ...options,
      nodes,
      stores: this.stores,
      feed: this.feed,
      onGone: (key) => this.#forget(key),
    });
    this.approvals = this.#createApprovals();
    this.#webhooks = this.#createWebhooks();
    this.gateway = this.#createGateway();
    this.#listen();
  }

  /** Reads the config and starts; does not wait for servers. */
  async start(): Promise<void> {
    const { nodes, shared, config, policy, audit } = this;
    // With shared state a thread copies into the registry, and other writers have to wait for it.
    if (!shared) this.stores.waitBriefly();
    await config.reload();
    this.servers.offerBuiltins();
    const { auth, authError } = config.settings;
    if (authError !== undefined) throw new BinderyError('AUTH_CONFIG_INVALID', { detail: authError });
    this.access.configure(auth?.oauth);
    this.#apply();
    this.#ending.push(
      config.watch(() => this.#apply()),
      policy.watch(() => this.#reloadPolicy()),
    );
    await shared?.audit.ship(audit.writer, this.options.dataDir);
    await nodes?.begin(this);
    if (!this.options.follower) this.#webhooks.start(this.approvals);
    const jobs = setInterval(() => this.#runJobs(), UP_LIMITS.jobsEveryMs);
    jobs.unref();
    this.#ending.push(() => clearInterval(jobs), audit.upkeep.start());
  }

  /** Reloads and applies the configuration. */
  async refresh(): Promise<void> {
    await this.config.reload();
    this.#apply();
  }

  /** Loads the changes that another process wrote to the registry. */
  async reloadRegistry(): Promise<void> {
    // Reload the servers first: the registry's rows are compared with them.
    await this.config.reload();
    this.catalogue.reload();
    this.#apply();
  }

  /** Reloads the policy and accepts that a file is missing, as a person decided. */
  async acceptPolicy(): Promise<void> {
    this.policy.files.accept();
    await this.config.reload(true);
    this.#apply();
    this.feed.emit('policy-accepted');
  }

  /** Notifies watchers that lists may have changed. */
  changed(): void {
    this.catalogue.touch();
    this.feed.changed();
  }

  /** Calls that have not ended, sent or not. */
  runningCalls(): number {
    return this.limiters.running() + this.approvals.waiting + (this.nodes?.passes.passing ?? 0);
  }

  /** Graceful shutdown: takes no new calls, lets running ones finish, and answers APPROVAL_PENDING to those that wait for a person. */
  drain(): void {
    this.isDraining = true;
    this.approvals.stopWaiting();
    this.nodes?.drain();
  }

  async close(): Promise<void> {
    for (const end of this.#ending) end();
    this.approvals.stopWaiting();
    this.limiters.refuseQueued();
    await this.#webhooks.close();
    await this.search.close();
    this.sessions.held.close();
    await this.connections.close();
    await this.audit.close();
    this.#registryWriter?.end();
    await this.shared?.close();
    await this.nodes?.close();
    this.stores.close();
  }

  #createPolicy(): PolicyInForce {
    const { policyFile, configDir, projectDir, exposure, follower, clock, log } = this.options;
    return new PolicyInForce({
      paths: policyPaths(policyFile, configDir, projectDir),
      config: this.config,
      versions: this.stores.policyVersions,
      known: () => this.servers.knownTools(),
      exposure,
      follower,
      clock,
      log,
    });
  }

  #createAudit(): CallAudit {
    const { config, access, nodes, shared, options } = this;
    return new CallAudit({
      ...options,
      shared: shared?.audit,
      isFollower: options.follower !== undefined,
      settings: () => config.settings.audit,
      userOf: (caller) => access.verifier?.userOf(caller) ?? nodes?.passes.userOf(caller),
      onEnd: () => this.search.noteCall(),
      onCounted: options.follower?.onEnded,
    });
  }

  #createSearch(): RunningSearch {
    const { config, policy, catalogue, audit, options } = this;
    return new RunningSearch({
      ...options,
      settings: () => config.settings.search,
      views: () => policy.profiles.map(({ name }) => this.gateway.views.view(name)),
      countTokens: (text) => catalogue.tokensOf(text),
      ended: audit.ended,
    });
  }

  #createConnections(): GatewayConnections {
    const { config, catalogue, servers, feed, stores, access, audit, nodes, options } = this;
    const { env, log, clock, names, probe } = options;
    const { redactor, tokens } = config;
    const redact = (text: string) => redactor.text(text);
    const users = userSide({
      ...options,
      database: stores.database,
      redactor,
      callbacks: access.callbacks,
      catalogue,
      feed,
      view: this.#view(),
      record: (change) => audit.recordChange(change),
    });
    return new GatewayConnections({
      host: { environment: env, redact, tokens, names, ...(probe ? { probe } : {}), ...healthOf(options) },
      entryOf: (server) => config.entryOf(server),
      servers,
      offerOf: (own, listed) => catalogue.pinned.ownOffer(own, listed as never),
      feed,
      users,
      nodes: nodes?.continued,
      clock,
      log,
    });
  }

  #createUpdater(): CatalogueUpdater {
    const { config, catalogue, servers, feed, stores, audit, connections, options } = this;
    return new CatalogueUpdater({
      host: connections.host,
      together: (work) => stores.registry.together(work),
      catalogue,
      servers,
      sharing: (server) => config.entryOf(server)?.sharing ?? 'auto',
      feed,
      record: (change) => audit.recordChange(change),
      log: options.log,
    });
  }

  #createApprovals() {
    const { config, stores, sessions, shared, options } = this;
    return approvalGate({
      ...options,
      store: shared?.approvals(stores.approvals) ?? stores.approvals,
      redactor: config.redactor,
      keys: sessions.keys,
      settings: () => config.settings.approval,
    });
  }

  #createWebhooks(): ApprovalWebhooks {
    const { config, stores, options } = this;
    return new ApprovalWebhooks({
      ...options,
      outbox: stores.webhookOutbox,
      webhooks: () => config.settings.approvals?.webhooks ?? [],
      masked: (server, args) => config.redactor.of(server).value(args),
    });
  }

  #createGateway(): Gateway {
    const { policy, connections, options } = this;
    return new Gateway({
      ports: callPorts(this, options),
      source: {
        ...this.#view(),
        privateTo: (settings, caller) => connections.realms.privateTo(settings, caller),
      },
      profiles: () => policy.profiles,
      info: { name: 'bindery', version: options.version },
    });
  }

  /** The source of the shared lists. */
  #view() {
    const { catalogue, servers, policy, config, search } = this;
    return {
      version: () => catalogue.version,
      offers: () => servers.offers(),
      absentOffers: () => servers.absentOffers(),
      servers: () => servers.ids(),
      policyLayers: (profile: string) => policy.layers(profile),
      isQuarantined: (server: string) => config.find(server)?.isQuarantined ?? false,
      searchAids: search,
    };
  }

  #listen(): void {
    this.#ending.push(
      () => this.updater.end(),
      () => this.catalogue.end(),
    );
    if (this.options.follower) return;
    this.updater.begin();
    this.#registryWriter?.begin();
    this.feed.on('changed', () => this.search.prepareSoon());
  }

  #apply(): void {
    const { config, catalogue, connections, servers } = this;
    const { follower, log } = this.options;
    const { auth, authError } = config.settings;
    // The users of the authorization server stay signed in until it is known whether another one is meant.
    if (authError === undefined) this.access.reconfigure(auth?.oauth);
    this.audit.upkeep.configure();
    try {
      if (!follower) catalogue.releaseHeld();
    } catch (error) {
      log.warn('the registry lists accepted definitions as held: it cannot be written', { error });
    }
    catalogue.configure();
    const specs = servers.specs();
    this.search.configure();
    // The person's own servers come before those of a project.
    const isOwn = ({ id }: { readonly id: string }) => config.find(id)?.configured.source === 'global';
    for (const group of [specs.filter(isOwn), specs.filter((spec) => !isOwn(spec))])
      catalogue.beginDiscovery(group.map(({ id }) => id));
    connections.apply(specs);
    this.limiters.configure();
    this.policy.configure();
    connections.connectKept();
    this.changed();
    this.#registryWriter?.serversChanged();
  }

  #reloadPolicy(): void {
    if (this.policy.reload()) this.changed();
  }

  /** A client disconnected: closes and deletes everything kept for it. */
  #forget(clientKey: string): void {
    this.approvals.endSession(clientKey);
    this.gateway.ports.connections.release(clientKey);
    this.connections.watches.release(clientKey);
    this.gateway.forget(clientKey);
  }

  #runJobs(): void {
    this.sessions.table.reclaim();
    this.connections.closeIdle();
    this.limiters.rates.reclaim();
    this.stores.endLapsedKeys();
    // Reload again: the watch does not report changes between the first read and its own start.
    this.#reloadPolicy();
    if (this.options.follower) return;
    this.policy.report();
    this.approvals
      .expire()
      .catch((error: unknown) => this.options.log.warn('approvals could not be expired', { error }));
    if (this.#registryWriter?.keep()) this.updater.retryFailed();
  }
}
