import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BinderyError } from '../../../contract/errors.ts';
import type { Log } from '../../../contract/ports.ts';
import type { Redactor } from '../../../contract/redact.ts';
import { CLIENT_INFO } from '../../../host/client-info.ts';
import { ConfigStore, projectConfigFile } from '../../../host/config/config-store.ts';
import type { ConfiguredServer } from '../../../host/config/configured-servers.ts';
import { serversDirIn } from '../../../host/config/launch-place.ts';
import { missingProgram } from '../../../host/config/missing-program.ts';
import { toServerSpec } from '../../../host/config/to-server-spec.ts';
import { NamedEndpoint, type NameResolver } from '../../../host/connection/supervision/named-endpoint.ts';
import type { ServerSpec } from '../../../host/connection/supervision/server-set.ts';
import { Host } from '../../../host/host.ts';
import { canonicalUrl } from '../../../host/oauth/discover-authorization.ts';
import { OAuthError, signInFailed } from '../../../host/oauth/oauth-error.ts';
import type { HostDeps, Probe } from '../../../host/operations/deps.ts';
import { HostRedactor, maskedLog } from '../../../host/redact/host-redactor.ts';
import { configuredTokens } from '../../../host/redact/observed-tokens.ts';
import { TrustStore } from '../../../host/trust/trust-store.ts';
import { UpstreamError } from '../../../wire/upstream.ts';
import { directories } from '../../directories.ts';
import { createLog } from '../../log.ts';
import type { Terminal } from '../../terminal.ts';
import { findGateway } from './gateway-client.ts';
import { offeredCounts } from './offered-counts.ts';
import { readSecret } from './read-secret.ts';
import { askOn, openBrowser, opensBrowser, personAt, type SignInTerminal } from './sign-in-person.ts';
import { userSignIns } from './user-sign-ins.ts';

export interface HostDepsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly projectDir: string;
  /** The value of `--db`, if given. */
  readonly database?: unknown;
  readonly person: SignInTerminal;
  readonly log: Log;
  readonly names: NameResolver;
  warn(text: string): void;
  /** A progress line that is overwritten while a server starts; absent without a terminal. */
  progress?(seconds: number, text: string): void;
}

/** Output and questions at a terminal. */
export function hostContext(terminal: Terminal) {
  return {
    env: process.env,
    person: { stderr: process.stderr, ask: askOn(process.stdin, process.stderr) },
    log: createLog((line) => process.stderr.write(line), 'error'),
    warn: (text: string) => void terminal.warn(text),
    progress: (seconds: number, text: string) => terminal.progress(seconds, undefined, text),
  };
}

/** Dependencies of the host's commands, in the directories that the environment names. */
export function createHostDeps(options: HostDepsOptions): HostDeps {
  const { env, names } = options;
  const projectDir = resolve(options.projectDir);
  const { configDir, configFile, dataDir } = directories(env);
  const clock = { now: Date.now };
  const config = new ConfigStore({ global: configFile, project: projectConfigFile(projectDir) });
  const redactor = new HostRedactor();
  const tokens = configuredTokens(configFile, redactor);
  const log = maskedLog(options.log, redactor);

  const specOf = async (server: ConfiguredServer): Promise<ServerSpec> => {
    if (!server.entry)
      throw new BinderyError('SERVER_INVALID', { detail: server.reason ?? 'the project switches this server off' });
    redactor.learnServers([server], env);
    redactor.learnTokens(await tokens.known());
    const places = { env, projectDir, serversDir: serversDirIn(dataDir) };
    const { spec, reason } = toServerSpec({ ...server, entry: server.entry }, places);
    if (!spec) throw new BinderyError('SERVER_INVALID', { detail: reason });
    return spec;
  };
  const begunMs = Date.now();
  const tellStart = (host: Host, id: string) => {
    const lastLine = host.statusOf(id)?.stderr?.trim().split('\n').at(-1) ?? '';
    const said = lastLine === '' ? '' : `: ${redactor.text(lastLine).slice(0, PROGRESS_CHARS_MAX)}`;
    options.progress?.(Math.round((Date.now() - begunMs) / 1000), `starting ${id}${said}, seconds`);
  };
  const connecting = async <T>(server: ConfiguredServer, signal: AbortSignal, work: (host: Host) => Promise<T>) => {
    const spec = await specOf(server);
    const host = new Host({
      client: { info: CLIENT_INFO, callbacks: {} },
      environment: env,
      redact: (text) => redactor.text(text),
      log,
      tokens,
      names,
    });
    const stop = () => void host.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      host.apply([spec]);
      const telling = setInterval(() => tellStart(host, server.id), PROGRESS_EVERY_MS);
      await Promise.race([host.settled(), aborted(signal)]).finally(() => clearInterval(telling));
      return await work(host);
    } finally {
      signal.removeEventListener('abort', stop);
      await host.close();
    }
  };

  return {
    config,
    settings: async () => (await import('../../all-settings.ts')).ALL_SETTINGS,
    trust: new TrustStore(join(configDir, 'trust.json'), projectDir, clock),
    tokens: {
      list: () => tokens.list().catch(refuseStore),
      damage: () => tokens.damage().catch(refuseStore),
      clear: (id) => tokens.clear(id).catch(refuseStore),
      update: (id, change) => tokens.update(id, change as Parameters<typeof tokens.update>[1]).catch(refuseStore),
    },
    userSignIns: userSignIns(options.projectDir, dataDir, options.database),
    clock,
    findGateway: () => findGateway(dataDir),
    probe: (server, signal) => connecting(server, signal, (host) => probeOf(host, server, redactor)),
    urlOf: async (server, signal) => {
      const spec = await specOf(server);
      if (spec.transport === 'stdio') throw new BinderyError('SERVER_INVALID', { detail: 'a stdio server has no URL' });
      const { url, identity } = spec;
      const address = identity ? await new NamedEndpoint(identity, names, clock.now).find(signal) : (url as string);
      return canonicalUrl(new URL(address));
    },
    signIn: (server, signal) =>
      connecting(server, signal, async (host) => {
        try {
          await host.login(server.id, personAt(options.person, env), signal);
        } catch (thrown) {
          if (!(thrown instanceof OAuthError || thrown instanceof UpstreamError)) throw thrown;
          throw signInFailed(thrown, redactor.text(thrown.message));
        }
      }),
    missingProgram: ({ command, cwd, expand_env }) => {
      if (typeof command !== 'string' || expand_env === true) return undefined;
      const place = { path: env.PATH ?? '', cwd: typeof cwd === 'string' ? cwd : projectDir };
      const missing = missingProgram(command, place);
      return missing && `${missing.what}. ${missing.remedy}`;
    },
    kindOf: (path) => {
      const found = statSync(resolve(projectDir, path), { throwIfNoEntry: false });
      return found && (found.isDirectory() ? 'folder' : 'file');
    },
    openUrl: async (url) => {
      if (opensBrowser(env)) openBrowser(url);
    },
    readSecret: (question, file) => readSecret(question, file, projectDir),
    warn: options.warn,
  };
}

const PROGRESS_EVERY_MS = 500;
const PROGRESS_CHARS_MAX = 50;

/** Translates a failure of the token store for a command. */
function refuseStore(thrown: unknown): never {
  if (!(thrown instanceof OAuthError)) throw thrown;
  throw new BinderyError('TOKEN_STORE_UNAVAILABLE', { detail: thrown.message, cause: thrown });
}

async function probeOf(host: Host, { id, entry }: ConfiguredServer, redactor: Redactor): Promise<Probe> {
  const status = host.statusOf(id);
  if (status?.state === 'ready') {
    const { era = '', protocolVersion = '', serverInfo } = status;
    return { era, protocolVersion, serverInfo, ...offeredCounts(host.catalogueOf(id), entry ?? {}) };
  }
  const why = status?.lastError ?? status?.reason ?? 'the server did not answer';
  const login = `bindery mcp auth login ${id}`;
  const hint = status?.state === 'auth_required' && !why.includes(login) ? `sign in first: ${login}` : undefined;
  const parts = [why, hint, why.includes('; it said: ') ? undefined : lastLines(status?.stderr)];
  throw new BinderyError('SERVER_UNREADY', {
    detail: redactor.text(parts.filter((part) => part !== undefined).join('; ')),
  });
}

function lastLines(stderr: string | undefined): string | undefined {
  const lines = (stderr ?? '').trim().split('\n').slice(-5).join('\n');
  return lines === '' ? undefined : `its stderr ends with:\n${lines}`;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
