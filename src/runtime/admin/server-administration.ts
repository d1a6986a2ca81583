import { parseEndpoint } from '../../bind/endpoint.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { ServerManifest } from '../../store/registry/registered-servers.ts';
import { BUILTIN_SERVERS } from '../catalogue/builtin-server.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import { actorOf } from '../users/actor-of.ts';

type Administration = Pick<
  GatewayDeps['servers'],
  'reconnect' | 'setEnabled' | 'register' | 'remove' | 'trust' | 'add' | 'removeConfigured'
>;

export interface ServerAdministrationOptions {
  readonly runtime: GatewayAssembly;
  readonly dataDir: string;
  readonly baseUrl: () => string;
  readonly now: () => number;
}

/** Operations on the servers of a running gateway, for people and for servers that register themselves. */
export function serverAdministration(options: ServerAdministrationOptions): Administration {
  const { runtime, dataDir, baseUrl, now } = options;
  const { access, config, catalogue, connections, limiters, servers, shared, stores } = runtime;
  const { keys, registered } = stores;
  const { realms, host, clients } = connections;
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
      const registrar = actorOf({ keys, access, dataDir }, authorization);
      refuseEndpoint(manifest, baseUrl(), !registrar.isAdmin);
      await shared?.registry.catchUp();
      // Names of rooms are reserved: a room that is not served now may be served later.
      if (
        BUILTIN_SERVERS.includes(manifest.name) ||
        !registered.add(manifest, registrar, new Date(now()).toISOString())
      ) {
        throw new BinderyError('SERVER_EXISTS', { detail: manifest.name, members: { id: manifest.name } });
      }
      // Another server may have had this name: its accepted definitions do not apply to the new one.
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
    trust: async (id) => {
      await config.trust(id);
      await runtime.refresh();
    },
    add: async (id, entry) => {
      if (BUILTIN_SERVERS.includes(id)) throw new BinderyError('SERVER_EXISTS', { detail: id, members: { id } });
      await config.store.add(id, entry, 'global', false);
      await runtime.refresh();
    },
    removeConfigured: async (id) => {
      await config.store.remove(id, 'global');
      catalogue.forget(id);
      await runtime.refresh();
    },
  };
}

/** Refuses unsuitable endpoints, such as the gateway itself. A registration key may only register public https addresses. */
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
