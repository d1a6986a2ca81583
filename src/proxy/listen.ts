import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject, type MessageId } from '../wire/json.ts';
import { encodeNotification } from '../wire/messages.ts';
import { META, RPC } from '../wire/revisions.ts';
import { type ChangeFeed, SeenLists } from './change-feed.ts';
import type { Client } from './client.ts';
import type { ClientRequest } from './client-message.ts';
import { EventStream } from './event-stream.ts';
import type { Gateway } from './gateway.ts';
import { RpcFailure } from './rpc-failure.ts';

const FILTERS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

interface ListenOptions {
  readonly gateway: Gateway;
  readonly feed: ChangeFeed;
}

/** `subscriptions/listen` over HTTP: a stream that stays open. */
export function listen(options: ListenOptions, client: Client, request: ClientRequest, response: ServerResponse): void {
  const filter = filterOf(request);
  const stream = new EventStream(response);
  const stop = subscribe(options, client, request.id, filter, (bytes) => stream.send(bytes));
  stream.onClose(stop);
}

/** What a client wants to hear of. Throws where it does not say. */
export function filterOf(request: ClientRequest): JsonObject {
  const filter = request.params?.notifications;
  if (!isObject(filter)) throw new RpcFailure(RPC.invalidParams, "Invalid params: 'notifications' is required");
  return filter;
}

/** Acknowledges a subscription and feeds it until the returned function is called. */
export function subscribe(
  { gateway, feed }: ListenOptions,
  client: Client,
  id: MessageId,
  filter: JsonObject,
  send: (bytes: Uint8Array) => void,
): () => void {
  const wanted = (kind: keyof typeof FILTERS) => filter[FILTERS[kind]] === true;
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  const tell = (method: string, params: JsonObject = {}) =>
    send(encodeNotification({ method, params: { ...params, _meta: { [META.subscriptionId]: id } } }));
  const honoured = Object.fromEntries([
    ...(['tools', 'prompts', 'resources'] as const).filter(wanted).map((kind) => [FILTERS[kind], true]),
    ...(uris.length > 0 ? [['resourceSubscriptions', uris]] : []),
  ]);
  tell('notifications/subscriptions/acknowledged', { notifications: honoured });
  const seen = new SeenLists(() => gateway.listsFor(client));
  const onChanged = () => {
    for (const kind of seen.differing()) if (wanted(kind)) tell(`notifications/${kind}/list_changed`);
  };
  const onNotice = ({ method, params }: { method: string; params: JsonObject | undefined }) => {
    if (method === 'notifications/resources/updated' && uris.includes(params?.uri)) tell(method, { uri: params?.uri });
  };
  feed.on('changed', onChanged);
  feed.on('notice', onNotice);
  return () => {
    feed.off('changed', onChanged);
    feed.off('notice', onNotice);
  };
}
