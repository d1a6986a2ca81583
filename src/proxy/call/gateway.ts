import { readsOnly } from '../../gateway/catalogue/server-offer.ts';
import { SIGN_IN } from '../../gateway/identity/sign-in-tool.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { META, MODERN_VERSIONS, RPC } from '../../wire/revisions.ts';
import { canBeAsked } from '../../wire/upstream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { ClientViews, type ViewOptions } from '../lists/client-views.ts';
import { untilListed, untilLooked } from '../lists/first-lists.ts';
import { isLegacyBridge } from '../lists/legacy-bridges.ts';
import { isLogLevel } from '../lists/log-levels.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { completeResult, resultBytes } from '../message/answer-bytes.ts';
import { oversizedArguments } from '../message/argument-bounds.ts';
import type { Client, Exchange } from '../message/client.ts';
import type { ClientRequest, UnclearRequest } from '../message/client-message.ts';
import { RpcFailure } from '../message/rpc-failure.ts';
import { FoundToolsMemory } from '../own-tools/found-tools.ts';
import { callPromoted, isPromoted } from '../own-tools/promoted-calls.ts';
import { SearchCalls } from '../own-tools/search-calls.ts';
import { callSignIn } from '../own-tools/sign-in-calls.ts';
import { LeavingClients } from '../sessions/leaving-clients.ts';
import { asksForTask, forwardTask, plainCall, taskServer } from '../tasks/tasks.ts';
import type { Target } from './client-call.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { runCall } from './pipeline.ts';
import { recordUnclear, refuseOversized, refuseRequest } from './refuse-request.ts';
import { nameOf, promptTarget, resourceTarget, toolTarget, type UnknownTarget, unnamed } from './targets.ts';
import { forwardUnrecorded } from './unrecorded.ts';

/** Methods that revision 2026-07-28 removed. */
const LEGACY_ONLY = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** Serves requests of clients: lists from memory, everything else from the server that it is about. */
export class Gateway {
  /** Requests of clients without a session that may say that they go. */
  readonly leaving = new LeavingClients();
  /** What each client sees of its profile. */
  readonly views: ClientViews;
  readonly ports: GatewayPorts;
  readonly #found = new FoundToolsMemory();
  readonly #search: SearchCalls;

  constructor({ ports, ...seen }: ViewOptions & { readonly ports: GatewayPorts }) {
    this.ports = ports;
    this.views = new ClientViews({ ...seen, ports }, this.#found);
    this.#search = new SearchCalls(ports, this.#found, this.views);
  }

  /** The client is gone: what was kept for it is forgotten. */
  forget(key: string): void {
    this.#found.forget(key);
    this.ports.logLevels.forget(key);
    this.ports.subscriptions.forget(key);
  }

  /** Answers one request. Throws `RpcFailure`, or rejects with it, where the answer is a JSON-RPC error of ours. */
  handle(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const oversized = request.oversized ?? oversizedArguments(request.params?.arguments);
    if (oversized) return refuseOversized(this.ports, client, request, oversized);
    const view = this.views.viewFor(client);
    return request.method === 'tools/call'
      ? this.#callTool(view, client, request, exchange)
      : this.#handleOther(view, client, request, exchange);
  }

  /** Records a request that was refused before it was handled, where it was an attempt. */
  recordUnclear(client: Client, request: Pick<UnclearRequest, 'method' | 'params'>): Promise<void> {
    return recordUnclear(this.ports, client, request);
  }

  /** The way of nearly all requests: no promise is made here that is not needed. */
  #callTool(view: ProfileView, client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const name = request.params?.name;
    if (this.#search.isOwn(view, name)) return this.#search.handle(client, request, exchange);
    if (name === SIGN_IN && this.ports.signIns && !view.isBare)
      return callSignIn(this.ports, this.ports.signIns, view, client, request, exchange);
    if (isPromoted(view, name))
      return callPromoted(view, client, request, (inner) => this.handle(client, inner, exchange));
    const appearing = this.#untilAppeared(view, client, request, exchange);
    if (appearing)
      return appearing.then(() => this.#runToolCall(this.views.viewFor(client), client, request, exchange));
    return this.#runToolCall(view, client, request, exchange);
  }

  /**
   * A tool that is not known may be one that only clients like this one see and that is just being found out, or one of a server
   * that is just being discovered. Undefined where there is nothing to wait for.
   */
  #untilAppeared(
    view: ProfileView,
    client: Client,
    request: ClientRequest,
    { signal }: Exchange,
  ): Promise<unknown> | undefined {
    const name = request.params?.name as string;
    if (view.catalogue().tools.has(name)) return undefined;
    const look = () => untilLooked(this.ports, this.views.viewFor(client), client, { name, signal });
    // A server is looked at once it has been listed.
    const listing = untilListed(this.ports, view, request, signal);
    return listing ? listing.then(look) : look();
  }

  async #handleOther(
    view: ProfileView,
    client: Client,
    request: ClientRequest,
    exchange: Exchange,
  ): Promise<Uint8Array> {
    if (client.era === '2026' && LEGACY_ONLY.has(request.method)) throw methodNotFound(client, request);
    switch (request.method) {
      case 'ping':
        return resultBytes(request, '{}');
      case 'server/discover':
        return this.#discover(client, request, exchange);
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        // What a server of the client's own says has changed is asked for at this moment.
        await this.ports.ownLists.settled(client.key);
        return this.#list(client, request);
      case 'prompts/get':
        await untilListed(this.ports, view, request, exchange.signal);
        return this.#runOrRefuse(client, request, exchange, promptTarget(this.views.viewFor(client), request));
      case 'resources/read':
        await untilListed(this.ports, view, request, exchange.signal);
        return this.#runOrRefuse(
          client,
          request,
          exchange,
          resourceTarget(this.views.viewFor(client), client, request),
        );
      case 'resources/subscribe':
      case 'resources/unsubscribe':
      case 'completion/complete':
        return forwardUnrecorded(this.ports, view, client, request, exchange);
      case 'logging/setLevel':
        return this.#setLevel(client, request);
      case 'tasks/get':
      case 'tasks/result':
      case 'tasks/list':
      case 'tasks/update':
      case 'tasks/cancel':
        return forwardTask(this.ports, view, client, request, exchange);
      default:
        throw methodNotFound(client, request);
    }
  }

  /** The server of a call that policy allows without asking or counting, from a client that cannot be asked; else undefined. */
  plainTarget(client: Client, request: ClientRequest): string | undefined {
    const name = request.params?.name;
    if (request.method !== 'tools/call' || typeof name !== 'string') return undefined;
    if (canBeAsked(client) || asksForTask(client, request)) return undefined;
    const view = this.views.viewFor(client);
    if (view !== this.views.view(client.profile) || this.#search.isOwn(view, name)) return undefined;
    const entry = view.publicTool(name);
    if (entry?.offered.status !== 'active') return undefined;
    const layers = this.ports.policyLayers(client.profile);
    const { server, tool } = entry;
    const { decision, limits } = judge(layers, {
      server,
      tool,
      now: undefined,
      readOnly: readsOnly(entry.offered),
    }).decision;
    const isCounted = limits.rate_per_minute !== undefined || limits.max_concurrency !== undefined;
    return decision === 'allow' && !isCounted ? server : undefined;
  }

  #runToolCall(view: ProfileView, client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const target = this.#toolTarget(view, client, request);
    const call = this.#call(view, client, request);
    return this.#runOrRefuse(client, call, exchange, target);
  }

  /** A task is only begun where its client could ask for it later. */
  #call(view: ProfileView, client: Client, request: ClientRequest): ClientRequest {
    return asksForTask(client, request) && !taskServer(view, client) ? plainCall(request) : request;
  }

  #toolTarget(view: ProfileView, client: Client, request: ClientRequest): Target | UnknownTarget {
    const name = nameOf(request);
    if (name === undefined) return unnamed('call', 'name');
    const target = toolTarget(this.ports, view, name);
    const [bare] = view.isBare ? (view.settings.servers ?? []) : [];
    // Nobody knows the tools of a server that the caller has not signed in to yet: the attempt asks for the sign-in.
    if ('failure' in target && bare !== undefined && this.ports.signIns?.waiting(client.caller).includes(bare))
      return { kind: 'call', server: bare, tool: name, name, rewrite: { name }, held: view.heldUnseen(bare) };
    return target;
  }

  #runOrRefuse(
    client: Client,
    request: ClientRequest,
    exchange: Exchange,
    target: Target | UnknownTarget,
  ): Promise<Uint8Array> {
    return 'failure' in target
      ? this.#refuseUnknown(client, request, target)
      : runCall(this.ports, { client, request, exchange }, target);
  }

  #refuseUnknown(client: Client, request: ClientRequest, unknown: UnknownTarget): Promise<Uint8Array> {
    const args = unknown.kind === 'read' ? {} : { arguments: request.params?.arguments ?? {} };
    return refuseRequest(this.ports, client, request, { ...unknown, ...args }, () => {
      throw unknown.failure;
    });
  }

  #list(client: Client, request: ClientRequest): Uint8Array {
    if (request.params?.cursor !== undefined)
      throw new RpcFailure(RPC.invalidParams, 'Invalid cursor: every list has one page');
    const lists = this.views.listsFor(client);
    const [member, json] =
      request.method === 'tools/list'
        ? ['tools', lists.tools]
        : request.method === 'prompts/list'
          ? ['prompts', lists.prompts]
          : request.method === 'resources/list'
            ? ['resources', lists.resources]
            : ['resourceTemplates', lists.resourceTemplates];
    const hints = client.era === '2026' ? `"ttlMs":${PROXY_LIMITS.listTtlMs},"cacheScope":"private",` : '';
    return resultBytes(request, completeResult(client, `${hints}"${member}":${json}`));
  }

  async #discover(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    if (isLegacyBridge(client)) throw new RpcFailure(RPC.methodNotFound, 'Method not found: server/discover');
    const { info, capabilities, instructions } = await this.views.introduction(client, exchange.signal);
    const members = {
      supportedVersions: MODERN_VERSIONS,
      capabilities,
      ...(instructions ? { instructions } : {}),
      ttlMs: PROXY_LIMITS.listTtlMs,
      cacheScope: 'private',
      _meta: { [META.serverInfo]: info },
    };
    return resultBytes(request, completeResult(client, JSON.stringify(members).slice(1, -1)));
  }

  /** Forwards the log level to the servers to which this client has its own connections. */
  async #setLevel(client: Client, request: ClientRequest): Promise<Uint8Array> {
    const level = request.params?.level;
    if (!isLogLevel(level)) throw new RpcFailure(RPC.invalidParams, 'level must be one of the log levels');
    this.ports.logLevels.set(client.key, level);
    client.logLevel = level;
    const { connections, subscriptions } = this.ports;
    const open = connections.open(client).map((own) => ({ ...own, key: client.key }));
    await Promise.all(open.map((own) => subscriptions.prepare(own, level)));
    return resultBytes(request, '{}');
  }
}

function methodNotFound({ era }: Client, { method }: ClientRequest): RpcFailure {
  return new RpcFailure(RPC.methodNotFound, `Method not found: ${method}`, { httpStatus: era === '2026' ? 404 : 200 });
}
