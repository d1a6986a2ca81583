import { ERRORS } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { ResourceRoute } from '../../gateway/catalogue/resource-routes.ts';
import { plainMeta, RPC } from '../../wire/revisions.ts';
import type { CallUpstream } from '../../wire/upstream.ts';
import { isLogLevel } from '../lists/log-levels.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { RpcFailure, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { refuseDeniedServer } from './authorize.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { absentFailure, asRpcFailure } from './upstream-error.ts';

/** Forwards completions and subscriptions. They run no tool, so they are not recorded. */
export async function forwardUnrecorded(
  ports: GatewayPorts,
  view: ProfileView,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
): Promise<Uint8Array> {
  const { server, owner, params } = targetOf(view, request);
  refuseDeniedServer(ports, client, server, () => Date.parse(ports.now()));
  const held = view.heldExtras(server);
  if (held) throw new RpcFailure(RPC.internalError, `${held}: ${ERRORS[held].title}`, { data: { code: held, server } });
  if (request.method === 'resources/subscribe') takePlace(ports, client, request.params?.uri as string);
  try {
    const upstream = await ports.connections.connection(server, client, exchange.signal);
    if (request.method !== 'completion/complete') {
      const route = { server, owner, uri: params.uri as string };
      if (isShared(ports, client, upstream)) await subscribeShared(ports, client, request, route, exchange.signal);
      else await subscribeOwn(ports, client, request.method, route, upstream);
      if (request.method === 'resources/unsubscribe')
        ports.watches.places.giveBack(client.key, request.params?.uri as string);
      return resultBytes(request, '{}');
    }
    const result = await upstream.request({ method: request.method, params }, { signal: exchange.signal });
    const { resultType: _kind, ...legacy } = result;
    return resultBytes(request, JSON.stringify(client.era === '2026' ? { resultType: 'complete', ...legacy } : legacy));
  } catch (thrown) {
    throw asRpcFailure(thrown, server);
  }
}

/** Forwards the log level to the servers to which this client has its own connections. */
export async function setLogLevel(ports: GatewayPorts, client: Client, request: ClientRequest): Promise<Uint8Array> {
  const level = request.params?.level;
  if (!isLogLevel(level)) throw new RpcFailure(RPC.invalidParams, 'level must be one of the log levels');
  ports.logLevels.set(client.key, level);
  client.logLevel = level;
  const { connections, subscriptions } = ports;
  const open = connections.open(client).map((own) => ({ ...own, key: client.key }));
  await Promise.all(open.map((own) => subscriptions.prepare(own, level)));
  return resultBytes(request, '{}');
}

/** A place is kept if the server then refuses the subscription: the next try uses it, and the session's end gives it back. */
function takePlace({ watches }: GatewayPorts, client: Client, uri: string): void {
  const reason = watches.places.take(client.key, client.caller, uri);
  if (reason !== undefined) throw new RpcFailure(RPC.invalidParams, `Invalid params: ${reason}`);
}

function isShared(ports: GatewayPorts, client: Client, upstream: CallUpstream): boolean {
  return !ports.connections.open(client).some((own) => own.upstream === upstream);
}

/** On a shared connection the gateway subscribes once and notifies all subscribers. */
async function subscribeShared(
  { watches }: GatewayPorts,
  client: Client,
  { method, params }: ClientRequest,
  route: ResourceRoute,
  signal: Exchange['signal'],
): Promise<void> {
  if (method === 'resources/subscribe') await watches.subscribe(client.key, params?.uri as string, route, signal);
  else watches.unsubscribe(client.key, route);
}

/** Subscribes at the client's own server process, now and after each restart. */
async function subscribeOwn(
  { subscriptions }: GatewayPorts,
  { key }: Client,
  method: string,
  { server, uri }: ResourceRoute,
  upstream: CallUpstream,
): Promise<void> {
  const isSubscribed = method === 'resources/subscribe';
  if (upstream.era === '2025') {
    await upstream.request({ method, params: { uri } });
    subscriptions.note({ upstream }, uri, isSubscribed);
  }
  subscriptions.unwant(key, server, uri);
  if (!isSubscribed) return;
  subscriptions.want(key, server, uri);
  await subscriptions.prepare({ server, key, upstream }, undefined);
}

interface UnrecordedTarget {
  readonly server: string;
  readonly owner?: string | undefined;
  /** Only the members that the method defines. */
  readonly params: JsonObject;
}

function targetOf(view: ProfileView, { method, params = {} }: ClientRequest): UnrecordedTarget {
  const meta = isObject(params._meta) ? { _meta: plainMeta(params._meta) } : {};
  if (method !== 'completion/complete') {
    const route = typeof params.uri === 'string' ? view.route(params.uri) : undefined;
    if (!route) throw absentOr(view, params.uri, 'Resource not found');
    return { server: route.server, owner: route.owner, params: { uri: route.uri, ...meta } };
  }
  const { server, ref } = completed(view, isObject(params.ref) ? params.ref : {});
  const { argument, context } = params;
  return { server, params: { ref, argument, ...(context === undefined ? {} : { context }), ...meta } };
}

/** The server of the prompt or template to complete, and its name there. */
function completed(view: ProfileView, { type, name, uri }: JsonObject): { server: string; ref: JsonObject } {
  const { prompts, resources } = view.catalogue();
  const prompt = type === 'ref/prompt' && typeof name === 'string' ? prompts.get(name) : undefined;
  if (prompt) return { server: prompt.server, ref: { type, name: prompt.prompt } };
  const isResource = type === 'ref/resource' && typeof uri === 'string';
  const route = isResource ? (resources.template(uri) ?? view.route(uri)) : undefined;
  if (!route) throw absentOr(view, isResource ? uri : undefined, 'The reference names no prompt and no template');
  return { server: route.server, ref: { type, uri: route.uri } };
}

/** The failure for a URI without a usable server: its server is off, or there is none. */
function absentOr(view: ProfileView, uri: unknown, message: string): RpcFailure {
  const absent = typeof uri === 'string' ? view.catalogue().resources.absentOwner(uri) : undefined;
  return absent === undefined ? new RpcFailure(RPC.invalidParams, message) : absentFailure(absent);
}
