import { EventEmitter } from 'node:events';
import { BinderyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../contract/json.ts';
import type { Log } from '../contract/ports.ts';
import type { RequestOptions } from '../wire/upstream.ts';
import { collectTools } from './adapters/collect-tools.ts';
import type { ExecuteOptions, HostTool } from './adapters/host-tool.ts';
import { type AdapterContext, type CheckOutput, countChosen } from './adapters/server-tools.ts';
import { errorResult, type ToolResult } from './adapters/tool-result.ts';
import type { ConfigLayer } from './config/config-layer.ts';
import type { ConfigStore } from './config/config-store.ts';
import { type ConfiguredServer, mergeServers } from './config/configured-servers.ts';
import { type SpecContext, toServerSpec } from './config/to-server-spec.ts';
import { watchFiles } from './config/watch-files.ts';
import { ResourceSubscriptions } from './connection/exchange/resource-subscriptions.ts';
import type { ServerSet, ServerSpec } from './connection/supervision/server-set.ts';
import type { OutputStore } from './output/output-store.ts';
import { loadRules, NO_RULES, type PermissionRules } from './permissions/permission-rules.ts';
import { type ApprovalMode, type PermissionPrompt, Permissions } from './permissions/permissions.ts';
import type { HostRedactor, StoredSecrets } from './redact/host-redactor.ts';
import { offlineStatus, type StatusItem } from './status-item.ts';
import { shownEntry } from './trust/shown-entry.ts';
import { isTrusted, type TrustEntry } from './trust/trust-store.ts';

/** The parts of a host. */
export interface ToolHostParts {
  readonly connections: ServerSet;
  /** Undefined: only servers defined in code. */
  readonly config: ConfigStore | undefined;
  /** Servers defined in code, as the lowest layer. */
  readonly layer: ConfigLayer;
  readonly trusted: () => Promise<readonly TrustEntry[]>;
  /** Start all servers of the project without trust. */
  readonly trustProject: boolean;
  readonly storedSecrets: () => Promise<Iterable<readonly [id: string, StoredSecrets]>>;
  readonly spec: SpecContext;
  readonly redactor: HostRedactor;
  readonly mode: ApprovalMode;
  readonly prompt: PermissionPrompt | undefined;
  readonly outputs: OutputStore;
  readonly checkOutput: CheckOutput | undefined;
  readonly log: Log;
}

/** The prompt or template that an argument belongs to. */
export type CompletionReference = { readonly prompt: string } | { readonly template: string };

export interface Completion {
  readonly values: readonly string[];
  /** The total number, if the server reports it. */
  readonly total?: number;
  readonly hasMore: boolean;
}

interface HostEvents {
  /** States, tools or config changed. */
  change: [];
}

/** A host: the connected servers of a config, with their tools behind permissions. */
export class ToolHost extends EventEmitter<HostEvents> {
  readonly #parts: ToolHostParts;
  readonly #permissions: Permissions;
  readonly #context: AdapterContext;
  readonly #subscriptions: ResourceSubscriptions;
  #rules: PermissionRules = NO_RULES;
  #servers: readonly ConfiguredServer[] = [];
  #offline = new Map<string, StatusItem>();
  /** Ids that config files define. */
  #inFiles: ReadonlySet<string> = new Set();
  #goodLayers = new Map<string, ConfigLayer>();
  #configErrors: readonly string[] = [];
  #unwatch: (() => void) | undefined;
  #reloading: Promise<void> = Promise.resolve();

  constructor(parts: ToolHostParts) {
    super();
    this.#parts = parts;
    this.#permissions = new Permissions({
      rules: () => this.#rules,
      mode: parts.mode,
      prompt: parts.prompt,
      remember: (rule) => this.#remember(rule),
      redactor: (server) => parts.redactor.of(server),
      log: parts.log,
    });
    this.#context = {
      request: (server, method, params, options) => parts.connections.request(server, { method, params }, options),
      permissions: this.#permissions,
      outputs: parts.outputs,
      redactor: parts.redactor,
      checkOutput: parts.checkOutput,
    };
    this.#subscriptions = new ResourceSubscriptions(parts.connections);
    parts.connections.on('status', () => this.emit('change')).on('catalogue', () => this.emit('change'));
  }

  /** Starts all servers and waits until each is ready or has failed. Throws `SERVER_REQUIRED` if a required one failed. */
  async connect(): Promise<void> {
    await this.start();
    await this.#parts.connections.settled();
    const missing = this.#servers.filter(
      ({ id, entry, enabled }) => enabled && entry?.required === true && this.statusOf(id)?.state !== 'ready',
    );
    if (missing.length === 0) return;
    const [first] = missing;
    const detail = missing
      .map(({ id }) => `${id}: ${this.statusOf(id)?.last_error ?? this.statusOf(id)?.reason}`)
      .join('; ');
    throw new BinderyError('SERVER_REQUIRED', { detail, members: { id: first?.id } });
  }

  /** Starts all servers without waiting, and begins to watch the config. */
  async start(): Promise<void> {
    await this.reload();
    const { config } = this.#parts;
    if (config && !this.#unwatch) {
      this.#unwatch = watchFiles(Object.values(config.files), () => void this.reload().catch(() => {}));
    }
  }

  /** Reads the config again and restarts only changed servers. An invalid file keeps its last good state. */
  reload(): Promise<void> {
    const reloaded = this.#reloading.then(() => this.#load());
    this.#reloading = reloaded.catch((thrown: unknown) => {
      this.#parts.log.warn('the config could not be loaded', { error: thrown });
    });
    return reloaded;
  }

  /** Sorted by id; never blocks. */
  status(): StatusItem[] {
    return this.#servers.map(({ id }) => this.statusOf(id) as StatusItem);
  }

  statusOf(id: string): StatusItem | undefined {
    const status = this.#statusOf(id);
    return status && this.#isFromCode(id) ? { ...status, source: 'code' } : status;
  }

  /** Whether the server was defined in code and is not replaced by a config file. */
  #isFromCode(id: string): boolean {
    return this.#parts.layer.servers.has(id) && !this.#inFiles.has(id);
  }

  #statusOf(id: string): StatusItem | undefined {
    const server = this.#servers.find((one) => one.id === id);
    const offline = this.#offline.get(id);
    if (!server || offline) return offline;
    const live = this.#parts.connections.statusOf(id);
    if (!live) return offlineStatus(server, [], null);
    const shown = (text: string | undefined) => (text === undefined ? null : this.#parts.redactor.text(text));
    return {
      id,
      transport: live.transport,
      source: server.source,
      enabled: true,
      state: live.state,
      reason: shown(live.reason),
      connected: live.connected,
      tools: live.tools === 0 ? 0 : countChosen(this.#parts.connections.catalogueOf(id).tools, server.entry ?? {}),
      last_error: shown(live.lastError),
      last_connected_at: live.lastConnectedAt === undefined ? null : new Date(live.lastConnectedAt).toISOString(),
    };
  }

  /** Servers of the project that are not trusted yet, with everything that they would run or send. */
  untrusted(): { readonly id: string; readonly launch: string }[] {
    return this.#servers
      .filter(({ id }) => this.#offline.get(id)?.reason === 'untrusted')
      .map((server) => ({ id: server.id, launch: shownEntry(server) }));
  }

  /** Errors of whole config files. */
  get configErrors(): readonly string[] {
    return this.#configErrors;
  }

  /** The end of a stdio server's stderr, masked. */
  stderrOf(id: string): string | undefined {
    const stderr = this.#parts.connections.statusOf(id)?.stderr;
    return stderr && this.#parts.redactor.text(stderr);
  }

  /** All tools that can be called now: those of the servers, and the host's own. */
  tools(): HostTool[] {
    const { connections, log } = this.#parts;
    const { tools, warnings } = collectTools(this.#usable(), (id) => connections.catalogueOf(id), this.#context);
    for (const warning of warnings) log.debug(warning);
    return tools;
  }

  /** Calls a tool by its public name or by `server/tool`, like its `execute`. An unknown name is a failed result too. */
  async callTool(name: string, args: JsonObject = {}, options: ExecuteOptions = {}): Promise<ToolResult> {
    const all = this.tools();
    const found =
      all.find((tool) => tool.name === name) ??
      all.find(({ origin }) => origin !== undefined && `${origin.server}/${origin.tool}` === name);
    return found ? found.execute(args, options) : errorResult(`there is no tool ${JSON.stringify(name)}`);
  }

  /** All prompts that servers offer now, as they define them. */
  prompts(): { readonly server: string; readonly prompt: JsonObject }[] {
    const { connections } = this.#parts;
    return this.#usable().flatMap(({ id }) =>
      connections.catalogueOf(id).prompts.map((prompt) => ({ server: id, prompt })),
    );
  }

  /** A connected server whose health check fails may still answer calls. */
  #usable(): ConfiguredServer[] {
    return this.#servers.filter(({ id }) => {
      const status = this.statusOf(id);
      return status?.state === 'ready' || status?.connected === true;
    });
  }

  /** Values that a server suggests for an argument of a prompt or a resource template. */
  async complete(
    server: string,
    reference: CompletionReference,
    argument: { readonly name: string; readonly value: string },
    given: Readonly<Record<string, string>> = {},
  ): Promise<Completion> {
    const ref =
      'prompt' in reference
        ? { type: 'ref/prompt', name: reference.prompt }
        : { type: 'ref/resource', uri: reference.template };
    const context = Object.keys(given).length > 0 ? { context: { arguments: given } } : {};
    const { completion } = await this.#context.request(
      server,
      'completion/complete',
      { ref, argument, ...context },
      {},
    );
    const { values, total, hasMore } = isObject(completion) ? completion : {};
    return {
      values: Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [],
      ...(typeof total === 'number' ? { total } : {}),
      hasMore: hasMore === true,
    };
  }

  /** Calls back when a resource changes, also after a reconnect; resolves to a function that unsubscribes. */
  watchResource(server: string, uri: string, onChange: () => void): Promise<() => Promise<void>> {
    return this.#subscriptions.watch(server, uri, onChange);
  }

  /** Sends a request to a server without checking permissions. */
  request(server: string, method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return this.#context.request(server, method, params, options);
  }

  async reconnect(id: string): Promise<void> {
    if (!this.#parts.connections.statusOf(id)) {
      throw new BinderyError('SERVER_NOT_FOUND', { detail: `"${id}" is not running`, members: { id } });
    }
    await this.#parts.connections.reconnect(id);
  }

  /** Closes all connections and child processes. */
  async close(): Promise<void> {
    this.#unwatch?.();
    this.#unwatch = undefined;
    await this.#reloading;
    await this.#parts.connections.close();
  }

  async #load(): Promise<void> {
    const { config, layer, redactor, connections, log } = this.#parts;
    const loaded = await config?.read();
    const layers = [layer, ...(loaded?.layers ?? []).map((one) => this.#lastGood(one))];
    const servers = mergeServers(layers);
    this.#inFiles = new Set(layers.slice(1).flatMap((one) => [...one.servers.keys()]));
    const trusted = await this.#parts.trusted();
    redactor.learnServers(
      servers.filter((server) => this.#mayRun(server, trusted)),
      this.#parts.spec.env,
    );
    redactor.learnTokens(await this.#parts.storedSecrets());
    const { rules, warnings } = loadRules(layers, this.#parts.spec.projectDir);
    for (const warning of [
      ...warnings,
      ...servers.flatMap((one) => one.warnings.map((text) => `${one.id}: ${text}`)),
    ]) {
      log.warn(warning);
    }
    const specs = servers.flatMap((server) => this.#specOf(server, trusted));
    this.#rules = rules;
    this.#servers = servers;
    this.#offline = new Map(
      specs.flatMap((spec) => ('offline' in spec ? [[spec.offline.id, spec.offline] as const] : [])),
    );
    this.#configErrors = loaded?.errors ?? [];
    connections.apply(specs.flatMap((spec) => ('spec' in spec ? [spec.spec] : [])));
    this.emit('change');
  }

  #mayRun(server: ConfiguredServer, trusted: readonly TrustEntry[]): boolean {
    return this.#parts.trustProject || isTrusted(server, trusted);
  }

  #specOf(
    server: ConfiguredServer,
    trusted: readonly TrustEntry[],
  ): ({ spec: ServerSpec } | { offline: StatusItem })[] {
    if (!server.entry || !server.enabled || !this.#mayRun(server, trusted))
      return [{ offline: offlineStatus(server, trusted, null) }];
    const { spec, reason } = toServerSpec({ ...server, entry: server.entry }, this.#parts.spec);
    if (spec) return [{ spec }];
    return [{ offline: { ...offlineStatus(server, trusted, null), state: 'error', reason, last_error: reason } }];
  }

  #lastGood(layer: ConfigLayer): ConfigLayer {
    if (layer.error === undefined) this.#goodLayers.set(layer.scope, layer);
    return layer.error === undefined ? layer : (this.#goodLayers.get(layer.scope) ?? layer);
  }

  async #remember(rule: Parameters<ConfigStore['allowInProject']>[1]): Promise<void> {
    await this.#parts.config?.allowInProject(this.#parts.spec.projectDir, rule);
  }
}
