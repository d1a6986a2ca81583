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
  /** Servers that registered themselves. */
  registered(): readonly RegisteredServer[];
}

/** The config of the person and of the project, read again when a file changes. A file that cannot be used keeps what it said last. */
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
  /** What was said to be wrong, so that it is said once. */
  #toldWrong: ReadonlySet<string> = new Set();

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

  /** What the config says of a server; undefined where it says nothing, or nothing valid. */
  entryOf(id: string): ConfiguredServer['entry'] {
    return this.find(id)?.configured.entry;
  }

  /** How an entry that stands in no file would be connected. Throws `SERVER_INVALID`. */
  specOf(id: string, raw: Readonly<Record<string, unknown>>): ServerSpec {
    const { configured, spec } = triedServer(id, raw, { ...this.#options, settings: this.#settings });
    this.redactor.learnServers([configured], this.#options.env);
    return spec;
  }

  /** Where a configured or registered server is, and what of it is held; undefined: there is none. */
  placeOf(id: string) {
    const server = this.find(id);
    if (!server) return undefined;
    const { isPinned: pinned, isQuarantined: quarantined, registration } = server;
    // An address may hold a password or a key: the registry is read by others than its owner's programs.
    return { endpoint: this.redactor.text(endpointOf(server)), pinned, quarantined, registration };
  }

  get settings(): GatewaySettings {
    return this.#settings;
  }

  /** What is wrong with a file; the last good one is in use meanwhile. */
  get error(): string | undefined {
    return this.#inForce.error;
  }

  /** When both files could be used last; at the start, when they were read. */
  get loadedAt(): string | null {
    return this.#inForce.loadedAt;
  }

  /** Files that cannot be used now, and whose profiles stay in force. */
  get lost(): LostConfigs {
    return this.#inForce.lost;
  }

  /** Reads the files. `accepts`: a person says that a file with profiles may be gone; at a start nobody has to. */
  async reload(accepts = false): Promise<void> {
    this.#inForce = this.#lastGood.inForce(await this.store.load(), accepts);
    const servers = mergeServers(this.#inForce.layers);
    const { settings, warnings } = gatewaySettings(this.#inForce.settings);
    this.#settings = settings;
    for (const warning of warnings) this.#options.log.warn(warning);
    const isTrusted = await this.#trust.read();
    // What an entry that may not run calls a secret could be any word.
    this.redactor.learnServers(servers.filter(isTrusted), this.#options.env);
    this.redactor.learnTokens(await this.tokens.known());
    const context = { ...this.#options, settings };
    this.#servers = servers.map((configured) => configuredServer(configured, isTrusted(configured), context));
    const untrusted = this.#servers.filter(({ reason }) => reason === 'untrusted');
    this.#trust.tellUntrusted(untrusted.map(({ configured }) => configured));
    const taken = new Set(servers.map(({ id }) => id));
    // What a person configured wins over what registered itself under the same name.
    const registered = this.#options.registered().filter(({ manifest }) => !taken.has(manifest.name));
    this.#servers = [...this.#servers, ...registered.map((server) => registeredServer(server, context))];
    this.#byId = new Map(this.#servers.map((server) => [server.configured.id, server]));
    const broken = this.#servers.filter(({ state }) => state === 'error');
    this.#tellWrong([
      ...(this.error === undefined ? [] : [this.error]),
      ...broken.map(({ configured, reason }) => `server ${configured.id} is not used: ${reason}`),
    ]);
  }

  /** Says each thing that is wrong with the config once, until it is mended. */
  #tellWrong(wrong: readonly string[]): void {
    for (const sentence of wrong) if (!this.#toldWrong.has(sentence)) this.#options.log.warn(sentence);
    this.#toldWrong = new Set(wrong);
  }

  /** Trusts the definition of a project's server as it is now. */
  async trust(id: string): Promise<void> {
    const found = this.find(id);
    if (found) await this.#trust.trust(found.configured);
  }

  /** Calls back after a change was read; gives the function that ends it. */
  watch(onChange: () => void): () => void {
    const files = [this.store.files.global, this.store.files.project, this.#trust.file];
    return watchFiles(files, () => {
      this.reload()
        .then(onChange)
        .catch((error: unknown) => this.#options.log.error('the config could not be read or applied', { error }));
    });
  }
}
