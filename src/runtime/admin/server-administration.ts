import { parseEndpoint } from '../../bind/endpoint.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type { Host } from '../../host/host.ts';
import { OAuthError, signInFailed } from '../../host/oauth/oauth-error.ts';
import type { ServerManifest } from '../../store/registry/registered-servers.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { BUILTIN_SERVERS } from '../catalogue/builtin-server.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import { actorOf } from '../users/actor-of.ts';
import type { OAuthCallbacks } from '../users/oauth-callbacks.ts';

type Administration = Pick<
  GatewayDeps['servers'],
  'reconnect' | 'setEnabled' | 'register' | 'remove' | 'test' | 'trust' | 'login'
>;

export interface ServerAdministrationOptions {
  readonly runtime: GatewayAssembly;
  readonly dataDir: string;
  readonly baseUrl: () => string;
  readonly now: () => number;
}

/** What people (and servers that register themselves) do with the servers of a running gateway. */
export function serverAdministration({ runtime, dataDir, baseUrl, now }: ServerAdministrationOptions): Administration {
  const { access, config, catalogue, connections, limiters, servers, shared, stores } = runtime;
  const { keys, registered } = stores;
  const { realms, host } = connections;
  const actor = (authorization: string | undefined) => actorOf({ keys, access, dataDir }, authorization);
  return {
    reconnect: async (id) => {
      limiters.of(id).reset();
      if (realms.isPerUser(id)) await Promise.all([...realms.all()].map((realm) => realm.host.reconnect(id)));
      else if (!servers.builtins.has(id)) await host.reconnect(id);
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
    test: (id, signal) => testServer(runtime, id, signal, now),
    trust: async (id) => {
      await config.trust(id);
      await runtime.refresh();
    },
    login: (id, authorization) => beginLogin(runtime, id, () => actor(authorization)),
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

/** A connection beside the one in use, closed again. */
async function testServer(
  { connections, config }: GatewayAssembly,
  id: string,
  signal: AbortSignal,
  now: () => number,
) {
  const begun = now();
  const report = { id, era: null, protocol_version: null, server_info: null, tools: null };
  try {
    const { realms } = connections;
    const host = realms.isPerUser(id) ? realms.of(LOCAL).host : connections.host;
    const upstream = await host.openSession(
      id,
      { info: CLIENT_INFO, callbacks: {}, capabilities: {} },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]) },
    );
    try {
      const { catalogue } = await listCatalogue(upstream, EMPTY_CATALOGUE, now());
      const { era, protocolVersion, serverInfo } = upstream;
      const found = { era, protocol_version: protocolVersion, server_info: serverInfo ?? null };
      return { ...report, ...found, ok: true, tools: catalogue.tools.length, ms: now() - begun, error: null };
    } finally {
      await upstream.close();
    }
  } catch (thrown) {
    const words = config.redactor.text(thrown instanceof Error ? thrown.message : 'it failed');
    return { ...report, ok: false, ms: now() - begun, error: words };
  }
}

/** The caller on this machine, for whom the admin acts where each user has an own credential. */
const LOCAL = 'local';

/** Resolves with the address as soon as there is one; the sign-in then goes on until it is done or times out. */
async function beginLogin(
  { connections, access, config }: GatewayAssembly,
  id: string,
  actor: () => { readonly name: string },
): Promise<string> {
  try {
    const { realms, host } = connections;
    if (!realms.isPerUser(id)) return await beginSharedLogin(host, access.callbacks, id);
    const { name } = actor();
    return (await realms.begin(id, name === 'admin' ? LOCAL : name)).url;
  } catch (thrown) {
    if (!(thrown instanceof OAuthError || thrown instanceof UpstreamError)) throw thrown;
    throw signInFailed(thrown, config.redactor.text(thrown.message));
  }
}

function beginSharedLogin(host: Host, callbacks: OAuthCallbacks, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const present = async ({ authorizationUrl }: { authorizationUrl: string }) => resolve(authorizationUrl);
    const callback = callbacks.listener();
    host.login(id, { present, ...(callback ? { callback: () => callback } : {}) }).catch(reject);
  });
}
