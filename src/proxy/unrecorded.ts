import type { CancelSignal } from '../contract/cancellation.ts';
import { ERRORS } from '../contract/errors.ts';
import type { ResourceRoute } from '../gateway/catalogue/resource-routes.ts';
import { type ServerOffer, shownOffer } from '../gateway/catalogue/server-offer.ts';
import { isObject } from '../wire/json.ts';
import { RPC } from '../wire/revisions.ts';
import { resultBytes } from './answer-bytes.ts';
import type { Client, Exchange } from './client.ts';
import type { ClientRequest } from './client-message.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { isUpstreamFailure, type UpstreamPort } from './ports.ts';
import type { ProfileView } from './profile-view.ts';
import { refuseDeniedServer } from './refuse-denied-server.ts';
import { routeOf } from './route-of.ts';
import { RpcFailure } from './rpc-failure.ts';
import { upstreamRpcFailure } from './upstream-error.ts';

/** Completions and subscriptions: they reach their server, and are no attempts that anybody has to answer for. */
export async function forwardUnrecorded(
  ports: GatewayPorts,
  view: ProfileView,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
): Promise<Uint8Array> {
  const { server, owner, params } = targetOf(view, request);
  refuseDeniedServer(ports, client, server);
  const held = view.heldExtras(server);
  if (held) throw new RpcFailure(RPC.internalError, `${held}: ${ERRORS[held].title}`, { data: { code: held, server } });
  try {
    const upstream = await ports.connections.connection(server, client, exchange.signal);
    if (request.method !== 'completion/complete' && isShared(ports, client, upstream)) {
      await subscribeShared(ports, client, request, { server, owner, uri: String(params.uri) }, exchange.signal);
      return resultBytes(request, '{}');
    }
    const result = await upstream.request({ method: request.method, params }, { signal: exchange.signal });
    const { resultType: _kind, ...legacy } = result;
    return resultBytes(request, JSON.stringify(client.era === '2026' ? { resultType: 'complete', ...legacy } : legacy));
  } catch (thrown) {
    if (!isUpstreamFailure(thrown)) throw thrown;
    throw upstreamRpcFailure(thrown, server);
  }
}

function isShared(ports: GatewayPorts, client: Client, upstream: UpstreamPort): boolean {
  return !ports.connections.open(client).some((own) => own.upstream === upstream);
}

/** On a connection that others use as well, the gateway subscribes once and tells those who asked for it. */
async function subscribeShared(
  { watches }: GatewayPorts,
  client: Client,
  { method, params }: ClientRequest,
  route: ResourceRoute,
  signal: CancelSignal,
): Promise<void> {
  if (method === 'resources/subscribe') await watches.subscribe(client.key, String(params?.uri), route, signal);
  else watches.unsubscribe(client.key, route);
}

function targetOf(
  view: ProfileView,
  { method, params = {} }: ClientRequest,
): { server: string; owner?: string | undefined; params: Record<string, unknown> } {
  if (method !== 'completion/complete') {
    const route = typeof params.uri === 'string' ? routeOf(view, params.uri) : undefined;
    if (!route) throw new RpcFailure(RPC.invalidParams, 'Resource not found');
    return { server: route.server, owner: route.owner, params: { ...params, uri: route.uri } };
  }
  const ref = isObject(params.ref) ? params.ref : {};
  const prompt = ref.type === 'ref/prompt' ? view.catalogue().prompts.get(String(ref.name)) : undefined;
  if (prompt) return { server: prompt.server, params: { ...params, ref: { ...ref, name: prompt.prompt } } };
  const { offers } = view.catalogue();
  const offering = (list: readonly ServerOffer[]) =>
    list.find((offer) => offer.resourceTemplates.some(({ uriTemplate }) => uriTemplate === ref.uri));
  const template = offering(offers.map(shownOffer)) ?? offering(offers);
  const route = template ?? (ref.type === 'ref/resource' ? routeOf(view, String(ref.uri)) : undefined);
  if (!route) throw new RpcFailure(RPC.invalidParams, 'The reference names no prompt and no template');
  return { server: route.server, params };
}
