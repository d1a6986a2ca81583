import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { SIGN_IN } from '../../gateway/identity/sign-in-tool.ts';
import { CALL_TOOL, FIND_TOOLS } from '../../gateway/search/tool-definitions.ts';
import type { ClientCall } from '../call/client-call.ts';
import { failedCallResult } from '../call/failure-answer.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { type RefusedRequest, refuseRequest } from '../call/refuse-request.ts';
import type { ClientViews } from '../lists/client-views.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest, Exchange } from '../message/client.ts';
import { FoundToolCalls } from './call-tool.ts';
import { findTools } from './find-tools.ts';
import { callPromoted, isPromoted } from './promoted-calls.ts';
import { callSignIn } from './sign-in-calls.ts';

/** Whether a name is of the search, or of the way to call what it found. */
export function isSearchTool({ isBare }: ProfileView, name: unknown): boolean {
  return !isBare && (name === FIND_TOOLS.name || name === CALL_TOOL.name);
}

type Handle = (client: Client, request: ClientRequest, exchange: Exchange) => Promise<Uint8Array>;

/** The tools of the gateway's own: the search, the sign-in, and those that stand for resources and prompts. */
export class OwnTools {
  readonly #ports: GatewayPorts;
  readonly #views: ClientViews;
  readonly #calls: FoundToolCalls;
  readonly #handle: Handle;

  /** `handle` answers the request that a promoted tool stands for. */
  constructor(ports: GatewayPorts, views: ClientViews, handle: Handle) {
    this.#ports = ports;
    this.#views = views;
    this.#calls = new FoundToolCalls(ports, views);
    this.#handle = handle;
  }

  /** Answers a call of one of them; undefined where the tool is a server's. */
  call(view: ProfileView, client: Client, request: ClientRequest, exchange: Exchange): Promise<Uint8Array> | undefined {
    const name = request.params?.name;
    if (isSearchTool(view, name)) return this.#search({ client, request, exchange });
    const { signIns } = this.#ports;
    if (name === SIGN_IN && signIns && !view.isBare)
      return callSignIn(this.#ports, signIns, view, client, request, exchange);
    if (isPromoted(view, name))
      return callPromoted(view, client, request, (inner) => this.#handle(client, inner, exchange));
    return undefined;
  }

  async #search(call: ClientCall): Promise<Uint8Array> {
    const { client, request } = call;
    const args = isObject(request.params?.arguments) ? request.params.arguments : {};
    try {
      return await (request.params?.name === FIND_TOOLS.name
        ? findTools(this.#ports, this.#views, call, args)
        : this.#calls.call(call, args));
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) throw thrown;
      const refused = refusedBy(this.#views.viewFor(client), args, request, thrown);
      return refuseRequest(this.#ports, client, request, refused, (call_id) =>
        resultBytes(request, failedCallResult(thrown, client, { ...refused.target, call_id })),
      );
    }
  }
}

/** What a refused use of the two tools was about. */
function refusedBy(
  view: ProfileView,
  args: JsonObject,
  request: ClientRequest,
  { code }: BinderyError,
): RefusedRequest {
  const rule = code.toLowerCase();
  if (request.params?.name === FIND_TOOLS.name)
    return { kind: 'search', rule, name: FIND_TOOLS.name, target: { tool: FIND_TOOLS.name }, arguments: args };
  const name = typeof args.name === 'string' ? args.name : '';
  const entry = view.publicTool(name);
  return {
    kind: 'call',
    rule,
    name,
    via: CALL_TOOL.name,
    arguments: args.arguments ?? {},
    ...(entry ? { target: { server: entry.server, tool: entry.tool } } : {}),
  };
}
