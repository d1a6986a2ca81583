import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Log } from '../contract/ports.ts';
import type { Implementation } from '../wire/upstream.ts';
import type { CheckOutput } from './adapters/server-tools.ts';
import { CLIENT_INFO } from './client-info.ts';
import { configDirectory } from './config/config-directory.ts';
import { type ConfigLayer, parseLayer } from './config/config-layer.ts';
import { ConfigStore, projectConfigFile } from './config/config-store.ts';
import type { Environment } from './config/expand-env.ts';
import { serversDirIn } from './config/launch-place.ts';
import type { ServerEntry } from './config/server-entry.ts';
import type { ClientCallbacks } from './connection/ports.ts';
import type { NameResolver } from './connection/supervision/named-endpoint.ts';
import { Host } from './host.ts';
import type { SignInPorts } from './oauth/sign-in.ts';
import type { CredentialStore } from './oauth/token-store.ts';
import { folderOutputs, memoryOutputs, type OutputStore } from './output/output-store.ts';
import type { PermissionRules } from './permissions/permission-rules.ts';
import type { ApprovalMode, PermissionPrompt } from './permissions/permissions.ts';
import { HostRedactor, maskedLog } from './redact/host-redactor.ts';
import { configuredTokens, ObservedTokens, observeCredentials } from './redact/observed-tokens.ts';
import { ToolHost } from './tool-host.ts';
import { TrustStore } from './trust/trust-store.ts';

export interface HostOptions {
  /** Servers defined in code. A config file entry with the same id wins. */
  readonly servers?: Readonly<Record<string, ServerEntry>>;
  /** Config files to read too: the user's, and that of a project. */
  readonly config?: { readonly file: string; readonly projectDir: string };
  /** The parent of the working directories of stdio servers; default: the config file's folder, else a temporary one. */
  readonly dataDir?: string;
  /** Rules defined in code, added to those of the config files. */
  readonly permissions?: Partial<PermissionRules>;
  /** Default `minimal`: asks about every call that no rule allows. */
  readonly mode?: ApprovalMode;
  /** Asks a person. Without it, calls that would ask are denied. */
  readonly prompt?: PermissionPrompt;
  /** Start the servers of the project's config even if no person has trusted them. */
  readonly trustProject?: boolean;
  /**
   * Stores sign-ins. Default: next to the config file, or without one in `host-auth.json` of the user's Bindery folder. `fileTokens` and
   * `memoryTokens` create other stores.
   */
  readonly tokens?: CredentialStore;
  /** An https URL of the client metadata document that identifies this program to authorization servers. */
  readonly clientMetadataUrl?: string;
  /** Signs a person in to servers that require it. Without it, such a server stays in `auth_required`. */
  readonly person?: SignInPorts;
  /** Callbacks that answer servers' questions; only those that are given are declared. */
  readonly callbacks?: ClientCallbacks;
  readonly client?: Implementation;
  /** Stores outputs that are too long for a model: in a folder, or without it in memory. */
  readonly outputsDir?: string;
  /** Gets each structured content with its output schema, for example to warn about mismatches. */
  readonly checkOutput?: CheckOutput;
  /** Resolves `ai://` names: `createResolver` of `mcp-bindery/bind` creates one. */
  readonly names?: NameResolver;
  /** Variables for `expand_env`, and the few that stdio servers inherit. Default: those of the process. */
  readonly env?: Environment;
  readonly log?: Log;
}

/** Creates a host that is not connected yet: `connect()` starts its servers. */
export function createHost(options: HostOptions = {}): ToolHost {
  const { config, env = process.env } = options;
  const redactor = new HostRedactor();
  const log = maskedLog(options.log ?? SILENT, redactor);
  const projectDir = resolve(config?.projectDir ?? '.');
  const own = options.tokens ? undefined : ownTokens(options, env, redactor);
  const tokens = own ?? observeCredentials(options.tokens as CredentialStore, redactor);
  const trust = config && new TrustStore(join(config.file, '..', 'trust.json'), projectDir, { now: Date.now });
  const connections = new Host({
    client: { info: options.client ?? CLIENT_INFO, callbacks: callbacksOf(options) },
    environment: env,
    redact: (text) => redactor.text(text),
    log,
    tokens,
    clientMetadataUrl: () => options.clientMetadataUrl,
    ...(options.person ? { person: options.person } : {}),
    ...(options.names ? { names: options.names } : {}),
  });
  return new ToolHost({
    connections,
    config: config && new ConfigStore({ global: resolve(config.file), project: projectConfigFile(projectDir) }),
    layer: codeLayer(options),
    trusted: async () => (await trust?.list()) ?? [],
    trustProject: options.trustProject === true,
    storedSecrets: async () => (await own?.known()) ?? [],
    spec: { env, projectDir, serversDir: serversDirIn(dataDirOf(options)) },
    redactor,
    mode: options.mode ?? 'minimal',
    prompt: options.prompt,
    outputs: outputsOf(options),
    checkOutput: options.checkOutput,
    log,
  });
}

/** Converts options to a config layer, so that they pass the same checks as a config file. */
function codeLayer({ servers = {}, permissions = {} }: HostOptions): ConfigLayer {
  return parseLayer('global', 'options', JSON.stringify({ version: 1, mcp: { servers }, permissions }));
}

/** Declares the project as a root, so that servers know it without running in it. */
function callbacksOf({ config, callbacks = {} }: HostOptions): ClientCallbacks {
  if (config === undefined) return callbacks;
  const projectDir = resolve(config.projectDir);
  const root = { uri: pathToFileURL(projectDir).href, name: basename(projectDir) };
  return { roots: async () => ({ roots: [root] }), ...callbacks };
}

function outputsOf({ outputsDir }: HostOptions): OutputStore {
  return outputsDir === undefined ? memoryOutputs() : folderOutputs(outputsDir);
}

/** Without a data directory or a config, servers start in a temporary folder of this process. */
function dataDirOf({ dataDir, config }: HostOptions): string {
  if (dataDir !== undefined) return resolve(dataDir);
  return config === undefined ? join(tmpdir(), `bindery-host-${randomUUID()}`) : dirname(resolve(config.file));
}

/** Creates the file with the first sign-in. Programs do not write to the token file of the commands. */
function ownTokens({ config }: HostOptions, env: Environment, redactor: HostRedactor): ObservedTokens {
  if (config) return configuredTokens(resolve(config.file), redactor);
  return new ObservedTokens(join(configDirectory(env), 'host-auth.json'), redactor);
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
