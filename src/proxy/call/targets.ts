import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { heldCode, readsOnly } from '../../gateway/catalogue/server-offer.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { undiscoveredText } from '../lists/list-answers.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import type { Target } from './client-call.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import type { RefusedRequest } from './refuse-request.ts';

/** A request for something that no server offers, and its error. */
export interface UnknownTarget extends RefusedRequest {
  readonly failure: RpcFailure;
}

/** The target of a request, or why it has none. */
export type FoundTarget = Target | UnknownTarget;

export function toolTarget(
  ports: GatewayPorts,
  view: ProfileView,
  { caller }: Client,
  request: ClientRequest,
): FoundTarget {
  const name = nameOf(request);
  if (name === undefined) return unnamed('call', 'name');
  const entry = view.tool(name);
  if (!entry) {
    const [bare] = view.isBare ? (view.settings.servers ?? []) : [];
    // The server's tools are unknown until the caller has signed in, so the call triggers the sign-in.
    if (bare !== undefined && ports.signIns?.waiting(caller).includes(bare))
      return { kind: 'call', server: bare, tool: name, name, rewrite: { name }, held: view.heldUnseen(bare) };
    return { kind: 'call', rule: 'unknown_tool', name, failure: unknownTool(ports, view, name) };
  }
  return entryTarget(view, name, entry);
}

/** The target for a tool, by the name that the client sees. */
export function entryTarget(view: ProfileView, name: string, { server, tool, offered }: ToolEntry): Target {
  const { inputSchema, outputSchema } = offered.definition;
  return {
    kind: 'call',
    server,
    tool,
    name,
    rewrite: { name: tool },
    inputSchema,
    outputSchema,
    readOnly: readsOnly(offered),
    held: heldCode(offered),
    heldNow: () => view.heldTool(name),
  };
}

/** If several servers have a tool of this name, the error lists them, and the client has to choose. */
function unknownTool(ports: GatewayPorts, view: ProfileView, name: string): RpcFailure {
  const candidates = view
    .toolsNamed(name)
    .slice(0, PROXY_LIMITS.candidatesMax)
    .map((entry) => entry.name);
  if (candidates.length === 0) {
    const why = undiscoveredText(ports, view, name);
    // Suggest only names that the caller sees: policy may hide others.
    const nearest = view.search().nearestNames().tool(name);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const message = why + hint === '' ? `Unknown tool: ${name}` : `Unknown tool: ${name}.${why}${hint}`;
    return new RpcFailure(RPC.invalidParams, message, {
      data: { code: 'UNKNOWN_TOOL', ...(nearest === undefined ? {} : { nearest }) },
    });
  }
  const message = `Unknown tool: ${name}. Several servers have one of this name: call ${candidates.join(' or ')}`;
  return new RpcFailure(RPC.invalidParams, message, { data: { code: 'UNKNOWN_TOOL', candidates } });
}

export function promptTarget(view: ProfileView, request: ClientRequest): FoundTarget {
  const name = nameOf(request);
  if (name === undefined) return unnamed('prompt', 'name');
  const entry = view.catalogue().prompts.get(name);
  if (!entry) {
    const failure = new RpcFailure(RPC.invalidParams, `Unknown prompt: ${name}`);
    return { kind: 'prompt', rule: 'unknown_prompt', name, failure };
  }
  const { server, prompt } = entry;
  return { kind: 'prompt', server, tool: prompt, name, rewrite: { name: prompt }, held: view.heldExtras(server) };
}

export function resourceTarget(view: ProfileView, client: Client, request: ClientRequest): FoundTarget {
  const uri = request.params?.uri;
  if (typeof uri !== 'string') return unnamed('read', 'uri');
  const route = view.route(uri);
  if (!route) {
    const code = client.era === '2026' ? RPC.invalidParams : RPC.resourceNotFound;
    const failure = new RpcFailure(code, `Resource not found: ${uri}`, { data: { uri } });
    return { kind: 'read', rule: 'unknown_resource', name: uri, failure };
  }
  const { server, uri: tool } = route;
  return { kind: 'read', server, tool, name: uri, rewrite: { uri: tool }, held: view.heldExtras(server) };
}

function nameOf({ params }: ClientRequest): string | undefined {
  return typeof params?.name === 'string' ? params.name : undefined;
}

/** The failure for a request without the name or URI of its target. */
function unnamed(kind: UnknownTarget['kind'], member: string): UnknownTarget {
  const failure = new RpcFailure(RPC.invalidParams, `${member} must be a string`);
  return { kind, rule: 'invalid_request', name: '', failure };
}
