import type { BinderyError } from '../../contract/errors.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { heldCode, readsOnly } from '../../gateway/catalogue/server-offer.ts';
import { RPC } from '../../wire/revisions.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { outcomeOf } from './call-record.ts';
import type { Target } from './client-call.ts';
import type { RefusedRequest } from './refuse-request.ts';
import { awayServer, type ToolPlace, unknownTool } from './unknown-tool.ts';
import { absentFailure } from './upstream-error.ts';

/** A request for something that no server offers, and its error. */
export interface UnknownTarget extends RefusedRequest {
  readonly failure: RpcFailure;
}

/** A call of a tool whose server offers nothing at present: unlike other requests it is answered with a result. */
export interface AwayTarget extends RefusedRequest {
  readonly error: BinderyError;
}

/** The target of a request, or why it has none. */
export type FoundTarget = Target | UnknownTarget | AwayTarget;

export function toolTarget(place: ToolPlace, client: Client, request: ClientRequest): FoundTarget {
  const { ports, view } = place;
  const name = nameOf(request);
  if (name === undefined) return unnamed('call', 'name');
  const entry = view.tool(name);
  if (!entry) {
    const [bare] = view.isBare ? (view.settings.servers ?? []) : [];
    // The server's tools are unknown until the caller has signed in, so the call triggers the sign-in.
    if (bare !== undefined && ports.signIns?.waiting(client.caller).includes(bare))
      return { kind: 'call', server: bare, tool: name, name, rewrite: { name }, held: view.heldUnseen(bare) };
    const away = awayServer(place, name);
    if (away) {
      const { server, error } = away;
      return { kind: 'call', rule: 'server_unavailable', name, target: { server }, outcome: outcomeOf(error), error };
    }
    return { kind: 'call', rule: 'unknown_tool', name, failure: unknownTool(place, client, name) };
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

export function promptTarget(view: ProfileView, request: ClientRequest): FoundTarget {
  const name = nameOf(request);
  if (name === undefined) return unnamed('prompt', 'name');
  const entry = view.catalogue().prompts.get(name);
  if (!entry) {
    const absent = view.absentOwner(name);
    if (absent !== undefined) return awayTarget('prompt', name, absent);
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
    const absent = view.catalogue().resources.absentOwner(uri);
    if (absent !== undefined) return awayTarget('read', uri, absent);
    const code = client.era === '2026' ? RPC.invalidParams : RPC.resourceNotFound;
    const failure = new RpcFailure(code, `Resource not found: ${uri}`, { data: { uri } });
    return { kind: 'read', rule: 'unknown_resource', name: uri, failure };
  }
  const { server, uri: tool } = route;
  return { kind: 'read', server, tool, name: uri, rewrite: { uri: tool }, held: view.heldExtras(server) };
}

function awayTarget(kind: UnknownTarget['kind'], name: string, server: string): UnknownTarget {
  return { kind, rule: 'server_unavailable', name, outcome: 'upstream_error', failure: absentFailure(server) };
}

function nameOf({ params }: ClientRequest): string | undefined {
  return typeof params?.name === 'string' ? params.name : undefined;
}

/** The failure for a request without the name or URI of its target. */
function unnamed(kind: UnknownTarget['kind'], member: string): UnknownTarget {
  const failure = new RpcFailure(RPC.invalidParams, `${member} must be a string`);
  return { kind, rule: 'invalid_request', name: '', failure };
}
