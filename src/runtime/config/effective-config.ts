import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { type ConfiguredServer, mergeServers } from '../../host/config/configured-servers.ts';
import { type GatewaySettings, gatewaySettings } from '../../host/config/gateway-settings.ts';
import { watchFiles } from '../../host/config/watch-files.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { configuredTokens } from '../../host/redact/observed-tokens.ts';
import type { RegisteredServer } from '../../store/registry/registered-servers.ts';
import {
  configuredServer,
  type EffectiveServer,
  endpointOf,
  registeredServer,
  triedServer,
} from './effective-server.ts';
import {
  type ConfigInForce,
  LastGoodConfig,
  type LastGoodConfigOptions,
  type LostConfigs,
} from './last-good-config.ts';
import { ProjectTrust, type ProjectTrustOptions } from './project-trust.ts';

export interface EffectiveConfigOptions extends LastGoodConfigOptions, ProjectTrustOptions {
  readonly configFile: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  registered(): readonly RegisteredServer[];
}

/** The config of the person and of the project, reloaded when a file changes. If a file is invalid, its last good version stays in use. */
export class EffectiveConfig {
  readonly store: ConfigStore;
  /** Masks the secrets that the config names, and tokens. */
  readonly redactor = new HostRedactor();
  readonly tokens: ReturnType<typeof configuredTokens>;
  readonly #options: EffectiveConfigOptions;
  readonly #trust: ProjectTrust;
  readonly #lastGood: LastGoodConfig;
  #servers: readonly EffectiveServer[] = [];
  #byId: ReadonlyMap<string, EffectiveServer> = new Map();
  #settings: GatewaySettings = gatewaySettings([]).settings;
  #inForce: ConfigInForce = { layers: [], settings: [], error: undefined, loadedAt: null, lost: new Map() };
  /** Reported problems, so that each is logged once. */
  #loggedProblems: ReadonlySet<string> = new Set();

  constructor(options: EffectiveConfigOptions) {
    this.#options = options;
    this.store = new ConfigStore({ global: options.configFile, project: projectConfigFile(options.projectDir) });
    this.tokens = configuredTokens(options.configFile, this.redactor);
    this.#trust = new ProjectTrust(options);
    this.#lastGood = new LastGoodConfig(options);
  }

  get servers(): readonly EffectiveServer[] {
    return this.#servers;
  }

  find(id: string): EffectiveServer | undefined {
    return this.#byId.get(id);
  }

  /** The config entry of a server; undefined if it is missing or invalid. */
  entryOf(id: string): ConfiguredServer['entry'] {
    return this.find(id)?.configured.entry;
  }

  /** The connection settings for an entry that is in no file. Throws `SERVER_INVALID`. */
  specOf(id: string, raw: Readonly<Record<string, unknown>>): ServerSpec {
    const { configured, spec } = triedServer(id, raw, { ...this.#options, settings: this.#settings });
    this.redactor.learnServers([configured], this.#options.env);
    return spec;
  }

  /** The endpoint of a configured or registered server, and its pin settings; undefined: no such server. */
  placeOf(id: string) {
    const server = this.find(id);
    if (!server) return undefined;
    const { isPinned: pinned, isQuarantined: quarantined, registration } = server;
    // An address may contain a password or a key, and other programs read the registry.
    return { endpoint: this.redactor.text(endpointOf(server)), pinned, quarantined, registration };
  }

  get settings(): GatewaySettings {
    return this.#settings;
  }

  /** The problem with a file; its last good version is in use. */
  get error(): string | undefined {
    return this.#inForce.error;
  }

  /** When both files were last valid; at the start, when they were read. */
  get loadedAt(): string | null {
    return this.#inForce.loadedAt;
  }

  /** Invalid or missing files whose profiles stay in force. */
  get lost(): LostConfigs {
    return this.#inForce.lost;
  }

  /** Reads the files. `accepts`: a person allows a file with profiles to be missing. At a start this is always allowed. */
  async reload(accepts = false): Promise<void> {
    this.#inForce = this.#lastGood.inForce(await this.store.read(), accepts);
    const servers = mergeServers(this.#inForce.layers);
    const { settings, warnings } = gatewaySettings(this.#inForce.settings);
    this.#settings = settings;
    for (const warning of warnings) this.#options.log.warn(warning);
    const isTrusted = await this.#trust.read();
    // Do not learn secrets from untrusted entries: any word could be declared one.
    this.redactor.learnServers(servers.filter(isTrusted), this.#options.env);
    this.redactor.learnTokens(await this.tokens.known());
    const context = { ...this.#options, settings };
    this.#servers = servers.map((configured) => configuredServer(configured, isTrusted(configured), context));
    const untrusted = this.#servers.filter(({ reason }) => reason === 'untrusted');
    this.#trust.logUntrusted(untrusted.map(({ configured }) => configured));
    const taken = new Set(servers.map(({ id }) => id));
    // A configured server wins over a registered one with the same name.
    const registered = this.#options.registered().filter(({ manifest }) => !taken.has(manifest.name));
    this.#servers = [...this.#servers, ...registered.map((server) => registeredServer(server, context))];
    this.#byId = new Map(this.#servers.map((server) => [server.configured.id, server]));
    const broken = this.#servers.filter(({ state }) => state === 'error');
    this.#logProblems([
      ...(this.error === undefined ? [] : [this.error]),
      ...broken.map(({ configured, reason }) => `server ${configured.id} is not used: ${reason}`),
    ]);
  }

  /** Logs each problem of the config once, until it is fixed. */
  #logProblems(wrong: readonly string[]): void {
    for (const sentence of wrong) if (!this.#loggedProblems.has(sentence)) this.#options.log.warn(sentence);
    this.#loggedProblems = new Set(wrong);
  }

  /** Trusts the current definition of a project's server. */
  async trust(id: string): Promise<void> {
    const found = this.find(id);
    if (found) await this.#trust.trust(found.configured);
  }

  /** Calls back after a change was read. Returns a function that stops. */
  watch(onChange: () => void): () => void {
    const files = [this.store.files.global, this.store.files.project, this.#trust.file];
    return watchFiles(files, () => {
      this.reload()
        .then(onChange)
        .catch((error: unknown) => this.#options.log.error('the config could not be read or applied', { error }));
    });
  }
}
