import { isObject, type JsonObject, type MessageId } from '../../contract/json.ts';
import { encodeNotification } from '../../wire/messages.ts';
import { META, RPC } from '../../wire/revisions.ts';
import type { EdgeResponse } from '../http/edge-exchange.ts';
import { EventStream } from '../http/event-stream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { RESOURCE_UPDATED, type Subscriber } from './change-feed.ts';
import { type Followed, followFeed } from './follow-changes.ts';
import { WatchedResources } from './watched-resources.ts';

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

/** The filter of a subscription. Throws if it is missing or names too many resources. */
export function filterOf(request: ClientRequest): JsonObject {
  const filter = request.params?.notifications;
  if (!isObject(filter)) throw new RpcFailure(RPC.invalidParams, "Invalid params: 'notifications' is required");
  const { resourceSubscriptions: wanted } = filter;
  if (Array.isArray(wanted) && wanted.length > PROXY_LIMITS.subscriptionsMax)
    throw new RpcFailure(
      RPC.invalidParams,
      `Invalid params: more than ${PROXY_LIMITS.subscriptionsMax} resources (subscriptionsMax)`,
    );
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
