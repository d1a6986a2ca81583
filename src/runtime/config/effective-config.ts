import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import type { ConfigLayer } from '../../host/config/config-layer.ts';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { type ConfiguredServer, mergeServers } from '../../host/config/configured-servers.ts';
import { type GatewaySettings, gatewaySettings, profilesText } from '../../host/config/gateway-settings.ts';
import { watchFiles } from '../../host/config/watch-files.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-spec.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { configuredTokens } from '../../host/redact/observed-tokens.ts';
import { shownEntry } from '../../host/trust/shown-entry.ts';
import { isTrusted, type TrustEntry, TrustStore, untrustedReason } from '../../host/trust/trust-store.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import type { RegisteredServer } from '../../store/registry/registered-servers.ts';
import {
  configuredServer,
  type EffectiveServer,
  endpointOf,
  registeredServer,
  triedServer,
} from './effective-server.ts';
import { isGone, keepProfiles, type LostConfigs, lastGoodProfiles } from './last-good-profiles.ts';

export interface EffectiveConfigOptions {
  readonly configFile: string;
  readonly configDir: string;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly trustProject: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Servers that registered themselves. */
  registered(): readonly RegisteredServer[];
  /** Keeps what the files last said of profiles. */
  readonly versions: PolicyVersions;
  /** For a worker: a file that is gone has vanished while the gateway runs. Its start does not mean that anybody accepts that. */
  readonly isFollower: boolean;
}

/** The config of the person and of the project, read again when a file changes. A file that cannot be used keeps what it said last. */
export class EffectiveConfig {
  readonly store: ConfigStore;
  /** Masks the secrets that the config names, and tokens. */
  readonly redactor = new HostRedactor();
  readonly tokens: ReturnType<typeof configuredTokens>;
  readonly #options: EffectiveConfigOptions;
  readonly #trust: TrustStore;
  #servers: readonly EffectiveServer[] = [];
  #byId: ReadonlyMap<string, EffectiveServer> = new Map();
  #settings: GatewaySettings = gatewaySettings([]).settings;
  #error: string | undefined;
  #loadedAt: string | null = null;
  /** Files whose profiles are in force. */
  #withProfiles: ReadonlySet<string> = new Set();
  #lost: LostConfigs = new Map();
  /** Each file as it was when it could be used last. */
  readonly #good = new Map<string, ConfigLayer>();
  #toldUntrusted: ReadonlyMap<string, string> = new Map();
  /** What was said to be wrong, so that it is said once. */
  #toldWrong: ReadonlySet<string> = new Set();
  readonly #keeping: FailureReport;

  constructor(options: EffectiveConfigOptions) {
    this.#options = options;
    this.store = new ConfigStore({ global: options.configFile, project: projectConfigFile(options.projectDir) });
    this.tokens = configuredTokens(options.configFile, this.redactor);
    this.#trust = new TrustStore(join(options.configDir, 'trust.json'), options.projectDir, { now: Date.now });
    this.#keeping = new FailureReport(options.log, {
      failing: 'the profiles are in force, but their last good version cannot be stored',
      again: 'the last good version of the profiles is stored again',
    });
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
    const server = triedServer(id, raw, { ...this.#options, settings: this.#settings });
    if (!server.spec) throw new BinderyError('SERVER_INVALID', { detail: server.reason ?? 'it is not valid' });
    this.redactor.learnServers([server.configured], this.#options.env);
    return server.spec;
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
    return this.#error;
  }

  /** When both files could be used last; at the start, when they were read. */
  get loadedAt(): string | null {
    return this.#loadedAt;
  }

  /** Files that cannot be used now, and whose profiles stay in force. */
  get lost(): LostConfigs {
    return this.#lost;
  }

  /** Reads the files. `accepts`: a person says that a file with profiles may be gone; at a start nobody has to. */
  async reload(accepts = false): Promise<void> {
    const loaded = await this.store.load();
    const gone = accepts ? [] : loaded.layers.filter((layer) => isGone(layer) && this.#withProfiles.has(layer.file));
    this.#error =
      loaded.errors[0] ?? gone.map(({ scope }) => `the ${scope} config file is gone: what it said stays in force`)[0];
    const current = loaded.layers.map((layer) => this.#usable(layer, gone.includes(layer)));
    const servers = mergeServers(current);
    const { versions, isFollower } = this.#options;
    const { layers, lost } = lastGoodProfiles(current, versions, !isFollower || accepts);
    this.#keeping.attempt(() => keepProfiles(current, versions, Date.now()));
    const { settings, warnings } = gatewaySettings(layers);
    this.#settings = settings;
    this.#lost = new Map([...lost, ...this.#lostOf(loaded.layers, layers)]);
    this.#withProfiles = new Set(layers.filter((layer) => profilesText(layer) !== undefined).map(({ file }) => file));
    if (this.#error === undefined || this.#loadedAt === null) this.#loadedAt = new Date().toISOString();
    for (const warning of warnings) this.#options.log.warn(warning);
    const trusted = await this.#trust.list();
    const isTrustedHere = (one: ConfiguredServer) => this.#options.trustProject || isTrusted(one, trusted);
    // What an entry that may not run calls a secret could be any word.
    this.redactor.learnServers(servers.filter(isTrustedHere), this.#options.env);
    this.redactor.learnTokens(await this.tokens.known());
    const context = { ...this.#options, settings };
    this.#servers = servers.map((configured) => configuredServer(configured, isTrustedHere(configured), context));
    this.#tellUntrusted(trusted);
    const taken = new Set(servers.map(({ id }) => id));
    // What a person configured wins over what registered itself under the same name.
    const registered = this.#options.registered().filter(({ manifest }) => !taken.has(manifest.name));
    this.#servers = [...this.#servers, ...registered.map((server) => registeredServer(server, context))];
    this.#byId = new Map(this.#servers.map((server) => [server.configured.id, server]));
    const broken = this.#servers.filter(({ state }) => state === 'error');
    this.#tellWrong([
      ...(this.#error === undefined ? [] : [this.#error]),
      ...broken.map(({ configured, reason }) => `server ${configured.id} is not used: ${reason}`),
    ]);
  }

  /** A file that cannot be used counts as it was read last. The other file is not held up by it: one of the two is a stranger's. */
  #usable(layer: ConfigLayer, isLost: boolean): ConfigLayer {
    if (isLost || layer.error !== undefined) return this.#good.get(layer.file) ?? layer;
    this.#good.set(layer.file, layer);
    return layer;
  }

  /** Files whose profiles are in force although the file does not say so now. */
  #lostOf(read: readonly ConfigLayer[], inForce: readonly ConfigLayer[]): [string, 'bad' | 'vanished'][] {
    return read.flatMap((layer, index) => {
      const used = inForce[index] as ConfigLayer;
      if (used === layer || profilesText(used) === undefined) return [];
      return [[layer.file, layer.error === undefined ? 'vanished' : 'bad'] as [string, 'bad' | 'vanished']];
    });
  }

  /** Says each thing that is wrong with the config once, until it is mended. */
  #tellWrong(wrong: readonly string[]): void {
    for (const sentence of wrong) if (!this.#toldWrong.has(sentence)) this.#options.log.warn(sentence);
    this.#toldWrong = new Set(wrong);
  }

  /** Trusts the definition of a project's server as it is now. */
  async trust(id: string): Promise<void> {
    const found = this.find(id);
    if (found?.configured.source === 'project') await this.#trust.trust([found.configured]);
  }

  /** Calls back after a change was read; gives the function that ends it. */
  watch(onChange: () => void): () => void {
    const files = [this.store.files.global, this.store.files.project, join(this.#options.configDir, 'trust.json')];
    return watchFiles(files, () => {
      this.reload()
        .then(onChange)
        .catch((error: unknown) => this.#options.log.error('the config could not be read or applied', { error }));
    });
  }

  /** Once for each definition: what waits for a person, and everything that it would run or send. */
  #tellUntrusted(trusted: readonly TrustEntry[]): void {
    const waiting = this.#servers.filter(({ reason }) => reason === 'untrusted').map(({ configured }) => configured);
    const told = new Map(waiting.map((server) => [server.id, shownEntry(server)]));
    for (const server of waiting) {
      const launch = told.get(server.id);
      if (this.#toldUntrusted.get(server.id) === launch) continue;
      const reason = untrustedReason(server, trusted);
      this.#options.log.warn('a server of the project is not started', { server: server.id, reason, launch });
    }
    this.#toldUntrusted = told;
  }
}
