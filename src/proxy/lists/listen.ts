import { isObject, type JsonObject, type MessageId } from '../../contract/json.ts';
import type { ResourceRoute } from '../../gateway/catalogue/resource-routes.ts';
import { judgeServer } from '../../gateway/policy/decide.ts';
import { encodeNotification } from '../../wire/messages.ts';
import { META, RPC } from '../../wire/revisions.ts';
import type { Gateway } from '../call/gateway.ts';
import type { EdgeResponse } from '../http/edge-exchange.ts';
import { EventStream } from '../http/event-stream.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { RESOURCE_UPDATED, type Subscriber, type UpstreamNotice } from './change-feed.ts';
import { type Followed, followFeed } from './follow-changes.ts';

const FILTERS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

/** `subscriptions/listen` over HTTP: a stream that stays open. */
export function listen(options: Followed, client: Client, request: ClientRequest, response: EdgeResponse): void {
  const filter = filterOf(request);
  const stream = new EventStream(response);
  const stop = subscribe(options, client, request.id, filter, stream);
  stream.onClose(stop);
}

/** The filter of a subscription. Throws if it is missing. */
export function filterOf(request: ClientRequest): JsonObject {
  const filter = request.params?.notifications;
  if (!isObject(filter)) throw new RpcFailure(RPC.invalidParams, "Invalid params: 'notifications' is required");
  return filter;
}

/** Acknowledges a subscription and feeds it until the returned function is called. */
export function subscribe(
  followed: Followed,
  client: Client,
  id: MessageId,
  filter: JsonObject,
  subscriber: Subscriber,
): () => void {
  const wanted = (kind: keyof typeof FILTERS) => filter[FILTERS[kind]] === true;
  const watched = new WatchedResources(followed.gateway, client, filter.resourceSubscriptions);
  const tell = (method: string, params: JsonObject = {}) =>
    subscriber.send(encodeNotification({ method, params: { ...params, _meta: { [META.subscriptionId]: id } } }));
  const honoured = Object.fromEntries([
    ...(['tools', 'prompts', 'resources'] as const).filter(wanted).map((kind) => [FILTERS[kind], true]),
    ...(watched.uris.length > 0 ? [['resourceSubscriptions', watched.uris]] : []),
  ]);
  tell('notifications/subscriptions/acknowledged', { notifications: honoured });
  const stop = followFeed(followed, client, {
    list: (kind) => {
      if (wanted(kind)) tell(`notifications/${kind}/list_changed`);
    },
    notice: (notice) => {
      const uri = watched.updatedUri(notice);
      if (uri !== undefined) tell(RESOURCE_UPDATED, { uri });
    },
    end: () => subscriber.end(),
  });
  return () => {
    stop();
    watched.stop();
  };
}

/** The resources of one subscription that a server of the profile has. */
class WatchedResources {
  readonly #routes = new Map<string, ResourceRoute>();
  readonly #ending = new AbortController();
  readonly #key: string;

  constructor(gateway: Gateway, client: Client, wanted: unknown) {
    this.#key = client.key;
    const view = gateway.views.viewFor(client);
    const layers = gateway.ports.policyLayers(client.profile);
    for (const uri of Array.isArray(wanted) ? wanted : []) {
      const route = typeof uri === 'string' ? view.route(uri) : undefined;
      if (route && judgeServer(layers, route.server, undefined).decision.decision !== 'deny')
        this.#routes.set(uri, route);
    }
    const { signal } = this.#ending;
    this.#watchOwn(gateway, client);
    for (const route of this.#routes.values()) {
      gateway.ports.watches.watch(route, signal).then(
        (unwatch) => {
          if (signal.aborted) unwatch();
          else signal.addEventListener('abort', unwatch, { once: true });
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
