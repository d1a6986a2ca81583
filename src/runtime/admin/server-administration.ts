import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEndpoint } from '../../bind/endpoint.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { Host } from '../../host/host.ts';
import { OAuthError, signInFailed } from '../../host/oauth/oauth-error.ts';
import type { ServerManifest } from '../../store/registry/registered-servers.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { BUILTIN_SERVERS } from '../catalogue/builtin-server.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import { actorOf } from '../users/actor-of.ts';
import type { OAuthCallbacks } from '../users/oauth-callbacks.ts';
import type { UserRealms } from '../users/user-realms.ts';
import type { SignInSteps, SignInWatch } from './sign-in-steps.ts';
import { testServer } from './test-server.ts';

type Administration = Pick<
  GatewayDeps['servers'],
  | 'reconnect'
  | 'setEnabled'
  | 'register'
  | 'remove'
  | 'test'
  | 'testEntry'
  | 'trust'
  | 'login'
  | 'signIn'
  | 'add'
  | 'removeConfigured'
>;

export interface ServerAdministrationOptions {
  readonly runtime: GatewayAssembly;
  readonly dataDir: string;
  readonly baseUrl: () => string;
  readonly now: () => number;
  readonly signIns: SignInSteps;
}

/** What people (and servers that register themselves) do with the servers of a running gateway. */
export function serverAdministration(options: ServerAdministrationOptions): Administration {
  const { runtime, dataDir, baseUrl, now, signIns } = options;
  const { access, config, catalogue, connections, limiters, servers, shared, stores } = runtime;
  const { keys, registered } = stores;
  const { realms, host, clients } = connections;
  const actor = (authorization: string | undefined) => actorOf({ keys, access, dataDir }, authorization);
  return {
    reconnect: async (id) => {
      limiters.of(id).reset();
      const all = realms.isPerUser(id) ? [...realms.all()] : [{ host, connections: clients }];
      for (const one of all) one.connections.renew(id);
      if (!servers.builtins.has(id)) await Promise.all(all.map((one) => one.host.reconnect(id)));
    },
    setEnabled: async (id, enabled) => {
      const effective = config.find(id);
      if (effective?.manifest) {
        registered.setEnabled(id, enabled);
        await shared?.registry.flush();
      } else if (effective) await config.store.setEnabled(id, effective.configured.source, enabled);
      await runtime.refresh();
    },
    register: async (manifest, authorization) => {
      const registrar = actor(authorization);
      refuseEndpoint(manifest, baseUrl(), !registrar.isAdmin);
      await shared?.registry.catchUp();
      // A room that is not served now may be served later: its name stays its own.
      if (
        BUILTIN_SERVERS.includes(manifest.name) ||
        !registered.add(manifest, registrar, new Date(now()).toISOString())
      ) {
        throw new BinderyError('SERVER_EXISTS', { detail: manifest.name, members: { id: manifest.name } });
      }
      // Another server may have had the name: what was accepted of that one is not this one's.
      catalogue.forget(manifest.name);
      await shared?.registry.flush();
      await runtime.refresh();
    },
    remove: async (id) => {
      if (!registered.remove(id)) {
        const source = config.find(id)?.configured.source ?? 'builtin';
        throw new BinderyError('SERVER_IS_CONFIGURED', {
          detail: source === 'builtin' ? 'it is part of Bindery' : `it is in the ${source} config file`,
          members: { source },
        });
      }
      catalogue.forget(id);
      await shared?.registry.flush();
      await runtime.refresh();
    },
    ...serverTests(runtime, now),
    trust: async (id) => {
      await config.trust(id);
      await runtime.refresh();
    },
    add: async (id, entry) => {
      if (BUILTIN_SERVERS.includes(id)) throw new BinderyError('SERVER_EXISTS', { detail: id, members: { id } });
      await runtime.config.store.add(id, entry, 'global', false);
      await runtime.refresh();
    },
    removeConfigured: async (id) => {
      await runtime.config.store.remove(id, 'global');
      runtime.catalogue.forget(id);
      await runtime.refresh();
    },
    ...serverSignIns(runtime, signIns, actor),
  };
}

function serverTests(runtime: GatewayAssembly, now: () => number): Pick<Administration, 'test' | 'testEntry'> {
  const { connections, config } = runtime;
  const { realms, host } = connections;
  const redact = (text: string) => config.redactor.text(text);
  return {
    test: (id, signal) =>
      testServer(realms.isPerUser(id) ? realms.of(LOCAL_CALLER).host : host, id, { redact, now, signal }),
    testEntry: async (id, entry, watch) => {
      const spec = config.specOf(id, entry);
      // A folder of the server's own is made when it is added; what it writes before goes with the test.
      const isOwnCwd = spec.transport === 'stdio' && spec.isOwnCwd === true;
      const cwd = isOwnCwd ? mkdtempSync(join(tmpdir(), 'bindery-test-')) : '';
      const trial = connections.trial(isOwnCwd ? { ...spec, cwd } : spec);
      try {
        return await testServer(trial, id, { redact, now, ...watch });
      } finally {
        await trial.close();
        if (isOwnCwd) await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  };
}

/** Not the gateway itself, and for servers that only hold a key for it, nothing inside the network that it stands in. */
function refuseEndpoint({ endpoint, health_check }: ServerManifest, baseUrl: string, mustBePublic: boolean): void {
  const [url, own] = [new URL(endpoint), new URL(baseUrl)];
  const refuse = (detail: string) => {
    throw new BinderyError('ENDPOINT_REFUSED', { detail });
  };
  const isOwnHost = url.hostname === own.hostname || (isLoopbackHost(url.hostname) && isLoopbackHost(own.hostname));
  if (isOwnHost && portOf(url) === portOf(own)) refuse('it is the gateway’s own address');
  if (url.username !== '' || url.password !== '') refuse('it holds a credential');
  const parsed = parseEndpoint(endpoint);
  if (mustBePublic && (!parsed || parsed.isPrivate)) refuse('it is not public and https');
  if (health_check !== undefined && new URL(health_check, endpoint).origin !== url.origin) {
    refuse('its health check is at another origin');
  }
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** The caller on this machine, for whom the admin acts where each user has an own credential. */
export const LOCAL_CALLER = 'local';

function serverSignIns(
  runtime: GatewayAssembly,
  signIns: SignInSteps,
  actor: (authorization: string | undefined) => { readonly name: string },
): Pick<Administration, 'login' | 'signIn'> {
  const { access, connections } = runtime;
  const { realms, host } = connections;
  return {
    login: (id, authorization) => {
      if (!realms.isPerUser(id)) return explained(runtime, () => beginSharedLogin(host, access.callbacks, id, signIns));
      const { name } = actor(authorization);
      return explained(runtime, () => beginOwn(realms, id, name === 'admin' ? LOCAL_CALLER : name));
    },
    signIn: (id, caller) => explained(runtime, () => beginOwn(realms, id, caller ?? LOCAL_CALLER)),
  };
}

/** A sign-in that cannot begin says why, and what to do. */
async function explained({ config }: GatewayAssembly, begin: () => Promise<string>): Promise<string> {
  try {
    return await begin();
  } catch (thrown) {
    if (!(thrown instanceof OAuthError || thrown instanceof UpstreamError)) throw thrown;
    throw signInFailed(thrown, config.redactor.text(thrown.message));
  }
}

async function beginOwn(realms: UserRealms, id: string, caller: string): Promise<string> {
  return (await realms.begin(id, caller)).url;
}

/** Resolves with the address as soon as there is one; the sign-in then goes on until it is done or times out. */
function beginSharedLogin(host: Host, callbacks: OAuthCallbacks, id: string, signIns: SignInSteps): Promise<string> {
  const { onFailed, ...watch }: SignInWatch = signIns.begin(id);
  return new Promise((resolve, reject) => {
    const present = async ({ authorizationUrl }: { authorizationUrl: string }) => resolve(authorizationUrl);
    const callback = callbacks.listener();
    host
      .login(id, { present, ...watch, ...(callback ? { callback: () => callback } : {}) })
      .catch((thrown: unknown) => {
        onFailed(thrown);
        reject(thrown);
      });
  });
}
