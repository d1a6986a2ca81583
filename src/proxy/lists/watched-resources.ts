import type { ResourceRoute } from '../../gateway/catalogue/resource-routes.ts';
import { judgeServer } from '../../gateway/policy/decide.ts';
import type { Gateway } from '../call/gateway.ts';
import type { Client } from '../message/client.ts';
import { RESOURCE_UPDATED, type UpstreamNotice } from './change-feed.ts';

/** The resources of one subscription that a server of the profile has. */
export class WatchedResources {
  readonly #routes = new Map<string, ResourceRoute>();
  readonly #ending = new AbortController();
  readonly #key: string;

  constructor(gateway: Gateway, client: Client, wanted: unknown) {
    this.#key = client.key;
    const { places } = gateway.ports.watches;
    const view = gateway.views.viewFor(client);
    const layers = gateway.ports.policyLayers(client.profile);
    for (const uri of Array.isArray(wanted) ? wanted : []) {
      const route = typeof uri === 'string' ? view.route(uri) : undefined;
      if (!route || judgeServer(layers, route.server, undefined).decision.decision === 'deny') continue;
      // The acknowledgement leaves out what has no place.
      if (places.take(this, client.caller, uri) === undefined) this.#routes.set(uri, route);
    }
    const { signal } = this.#ending;
    const ends: (() => void)[] = [() => places.release(this)];
    // One listener for all: a signal searches its listeners whenever one is added.
    signal.addEventListener('abort', () => {
      for (const end of ends) end();
    });
    this.#watchOwn(gateway, client);
    for (const route of this.#routes.values()) {
      gateway.ports.watches.watch(route, signal).then(
        (unwatch) => {
          if (signal.aborted) unwatch();
          else ends.push(unwatch);
        },
        () => {
          // An unreachable server sends no notifications; its status says why.
        },
      );
    }
  }

  get uris(): string[] {
    return [...this.#routes.keys()];
  }

  /** The URI that a notice is about, in the client's form. */
  updatedUri({ server, owner, key, method, params }: UpstreamNotice): string | undefined {
    if (method !== RESOURCE_UPDATED || (key !== undefined && key !== this.#key)) return undefined;
    for (const [uri, route] of this.#routes) {
      const isHeard = key !== undefined || route.owner === owner;
      if (route.server === server && isHeard && route.uri === params?.uri) return uri;
    }
    return undefined;
  }

  /** Subscribes on the client's own processes and sessions as well, both open and future ones. */
  #watchOwn({ ports: { connections, subscriptions } }: Gateway, client: Client): void {
    const { key } = client;
    const routes = [...this.#routes.values()];
    for (const { server, uri } of routes) subscriptions.want(key, server, uri);
    this.#ending.signal.addEventListener('abort', () => {
      for (const { server, uri } of routes) subscriptions.unwant(key, server, uri);
    });
    const servers = new Set(routes.map(({ server }) => server));
    for (const own of connections.open(client))
      if (servers.has(own.server)) void subscriptions.prepare({ ...own, key }, undefined);
  }

  stop(): void {
    this.#ending.abort();
  }
}
