import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { CALL_TOOL, FIND_TOOLS } from '../../gateway/search/tool-definitions.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { type RefusedRequest, refuseWith } from '../call/refuse-request.ts';
import type { ClientViews } from '../lists/client-views.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { FoundToolCalls } from './call-tool.ts';
import { findTools } from './find-tools.ts';
import { callPromoted, isPromoted } from './promoted-calls.ts';
import { callSignIn, isSignIn } from './sign-in-calls.ts';

/** Whether a name is `find_tools` or `call_tool`. */
export function isSearchTool({ isBare }: ProfileView, name: unknown): boolean {
  return !isBare && (name === FIND_TOOLS.name || name === CALL_TOOL.name);
}

type Handle = (client: Client, request: ClientRequest, exchange: Exchange) => Promise<Uint8Array>;

/** The gateway's own tools: the search, the sign-in, and tools that read resources and prompts. */
export class OwnTools {
  readonly #ports: GatewayPorts;
  readonly #views: ClientViews;
  readonly #calls: FoundToolCalls;
  readonly #handle: Handle;

  /** `handle` answers the inner request of a promoted tool. */
  constructor(ports: GatewayPorts, views: ClientViews, handle: Handle) {
    this.#ports = ports;
    this.#views = views;
    this.#calls = new FoundToolCalls(ports, views);
    this.#handle = handle;
  }

  /** Answers a call of one of these tools; undefined for other tools. */
  call(view: ProfileView, client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> | undefined {
    const name = request.params?.name;
    if (isSearchTool(view, name)) return this.#search(client, request, exchange);
    const ports = this.#ports;
    if (isSignIn(ports, view, name)) return callSignIn(ports, view, { client, request, exchange });
    if (isPromoted(view, name))
      return callPromoted(view, client, request, (inner) => this.#handle(client, inner, exchange));
    return undefined;
  }

  async #search(client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> {
    const call = { client, request, exchange };
    const args = isObject(request.params?.arguments) ? request.params.arguments : {};
    try {
      return await (request.params?.name === FIND_TOOLS.name
        ? findTools(this.#ports, this.#views, call, args)
        : this.#calls.call(call, args));
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) throw thrown;
      return refuseWith(this.#ports, call, attemptOf(this.#views.viewFor(client), args, request), thrown);
    }
  }
}

/** The audit fields of a refused use of the search. */
function attemptOf(view: ProfileView, args: JsonObject, request: ClientRequest): Omit<RefusedRequest, 'rule'> {
  if (request.params?.name === FIND_TOOLS.name)
    return { kind: 'search', name: FIND_TOOLS.name, target: { tool: FIND_TOOLS.name }, arguments: args };
  const name = typeof args.name === 'string' ? args.name : '';
  const entry = view.publicTool(name);
  const owner = entry ? undefined : view.absentOwner(name);
  return {
    kind: 'call',
    name,
    via: CALL_TOOL.name,
    arguments: args.arguments ?? {},
    ...(entry ? { target: { server: entry.server, tool: entry.tool } } : {}),
    ...(owner === undefined ? {} : { target: { server: owner } }),
  };
}
