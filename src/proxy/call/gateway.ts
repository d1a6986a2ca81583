import { ClientViews, type ViewOptions } from '../lists/client-views.ts';
import { discoverAnswer, listAnswer, untilListed, untilProbed } from '../lists/list-answers.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { methodNotFound, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { OwnTools } from '../own-tools/own-tools.ts';
import { forwardTask, withServedTask } from '../tasks/tasks.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { runCall } from './pipeline.ts';
import { recordAmbiguous, refuseOversized, refuseRequest, refuseWith } from './refuse-request.ts';
import {
  type AwayTarget,
  type FoundTarget,
  promptTarget,
  resourceTarget,
  toolTarget,
  type UnknownTarget,
} from './targets.ts';
import { forwardUnrecorded, setLogLevel } from './unrecorded.ts';

/** Methods that revision 2026-07-28 removed. */
const LEGACY_ONLY = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

/** Serves requests of clients: lists from memory, everything else from the target's server. */
export class Gateway {
  /** The view that each client has of its profile. */
  readonly views: ClientViews;
  readonly ports: GatewayPorts;
  readonly #ownTools: OwnTools;

  constructor({ ports, ...seen }: ViewOptions & { readonly ports: GatewayPorts }) {
    this.ports = ports;
    this.views = new ClientViews({ ...seen, ports });
    this.#ownTools = new OwnTools(ports, this.views, (client, request, exchange) =>
      this.handle(client, request, exchange),
    );
  }

  /** Removes the state of a client that has disconnected. */
  forget(key: string): void {
    this.views.found.forget(key);
    this.ports.logLevels.forget(key);
    this.ports.subscriptions.forget(key);
  }

  /** Answers one request. Throws or rejects with `RpcFailure` if the gateway itself answers with a JSON-RPC error. */
  handle(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const refusal = refuseOversized(this.ports, client, request);
    if (refusal) return refusal;
    const view = this.views.viewFor(client);
    return request.method === 'tools/call'
      ? this.#callTool(view, client, request, exchange)
      : this.#handleOther(view, client, request, exchange);
  }

  /** Records a request that was refused before it was handled, if it was an attempted call, read or prompt. */
  recordAmbiguous(client: Client, request: Pick<ClientRequest, 'method' | 'params'>): Promise<void> {
    return recordAmbiguous(this.ports, client, request);
  }

  /** The hot path: creates no promise unless the call has to wait. */
  #callTool(view: ProfileView, client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const own = this.#ownTools.call(view, client, request, exchange);
    if (own) return own;
    const appearing = this.#untilAppeared(view, client, request, exchange);
    if (appearing)
      return appearing.then(() => this.#runToolCall(this.views.viewFor(client), client, request, exchange));
    return this.#runToolCall(view, client, request, exchange);
  }

  /**
   * Waits for an unknown tool while its server is being discovered, or is being probed for tools that only clients like this one see.
   * Returns undefined if there is nothing to wait for.
   */
  #untilAppeared(
    view: ProfileView,
    client: Client,
    request: ClientRequest,
    { signal }: Exchange,
  ): Promise<unknown> | undefined {
    const name = request.params?.name as string;
    if (view.catalogue().tools.has(name)) return undefined;
    const probed = () => untilProbed(this.ports, this.views.viewFor(client), client, { name, signal });
    // Probing starts only after the server has been listed.
    const listing = untilListed(this.ports, view, request, signal);
    return listing ? listing.then(probed) : probed();
  }

  async #handleOther(
    view: ProfileView,
    client: Client,
    request: ClientRequest,
    exchange: Exchange,
  ): Promise<Uint8Array> {
    const notFoundStatus = client.era === '2026' ? 404 : 200;
    if (client.era === '2026' && LEGACY_ONLY.has(request.method)) throw methodNotFound(request.method, notFoundStatus);
    switch (request.method) {
      case 'ping':
        return resultBytes(request, '{}');
      case 'server/discover':
        return discoverAnswer(this.views, client, request, exchange.signal);
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        // Wait for the list that the client's own connection reported as changed.
        await this.ports.ownLists.settled(client.key);
        return listAnswer(this.views, client, request);
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
        return setLogLevel(this.ports, client, request);
      case 'tasks/get':
      case 'tasks/result':
      case 'tasks/list':
      case 'tasks/update':
      case 'tasks/cancel':
        return forwardTask(this.ports, view, client, request, exchange);
      default:
        throw methodNotFound(request.method, notFoundStatus);
    }
  }

  #runToolCall(view: ProfileView, client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const target = toolTarget({ ports: this.ports, views: this.views, view }, client, request);
    return this.#runOrRefuse(client, withServedTask(view, client, request), exchange, target);
  }

  #runOrRefuse(client: Client, request: ClientRequest, exchange: Exchange, target: FoundTarget): Promise<Uint8Array> {
    return 'failure' in target || 'error' in target
      ? this.#refuseUnknown(client, request, target)
      : runCall(this.ports, { client, request, exchange }, target);
  }

  #refuseUnknown(client: Client, request: ClientRequest, unknown: UnknownTarget | AwayTarget): Promise<Uint8Array> {
    const args = unknown.kind === 'read' ? {} : { arguments: request.params?.arguments ?? {} };
    if ('error' in unknown) return refuseWith(this.ports, { client, request }, { ...unknown, ...args }, unknown.error);
    return refuseRequest(this.ports, client, request, { ...unknown, ...args }, () => {
      throw unknown.failure;
    });
  }
}
