import { BinderyError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest-word.ts';
import { NearestNames } from '../../gateway/search/words/nearest-names.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { ClientViews } from '../lists/client-views.ts';
import type { ProfileView } from '../lists/profile-view.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client } from '../message/client.ts';
import type { GatewayPorts } from './gateway-ports.ts';

/** Where the target of a client's call is looked up. */
export interface ToolPlace {
  readonly ports: GatewayPorts;
  readonly views: ClientViews;
  readonly view: ProfileView;
}

/** A server that a tool's name belongs to, but that offers nothing at present, and the error for a call. */
export interface AwayServer {
  readonly server: string;
  readonly error: BinderyError;
}

/**
 * Why a name without a tool has none, if its server is away: no other server's tool may be called or suggested instead. A server with
 * per-user credentials may show its tools after a sign-in, so it is not away.
 */
export function awayServer({ ports, view }: Pick<ToolPlace, 'ports' | 'view'>, name: string): AwayServer | undefined {
  const server = view.absentOwner(name);
  if (server === undefined || ports.connections.isPerCaller?.(server)) return undefined;
  return { server, error: ports.whyAway?.(server) ?? new BinderyError('SERVER_UNAVAILABLE') };
}

/** The error for an unknown name. If several servers have a tool of this name, it lists them, and the client has to choose. */
export function unknownTool({ views, view }: ToolPlace, client: Client, name: string): RpcFailure {
  const candidates = view
    .toolsNamed(name)
    .slice(0, PROXY_LIMITS.candidatesMax)
    .map((entry) => entry.name);
  if (candidates.length === 0) {
    const nearest = nearestOf(name, [view.search().nearestNames(), new NearestNames(views.ownTools(client))]);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const message = hint === '' ? `Unknown tool: ${name}` : `Unknown tool: ${name}.${hint}`;
    return new RpcFailure(RPC.invalidParams, message, {
      data: { code: 'UNKNOWN_TOOL', ...(nearest === undefined ? {} : { nearest }) },
    });
  }
  const message = `Unknown tool: ${name}. Several servers have one of this name: call ${candidates.join(' or ')}`;
  return new RpcFailure(RPC.invalidParams, message, { data: { code: 'UNKNOWN_TOOL', candidates } });
}

/** The most likely name. Only names that the caller sees are suggested: policy may hide others. */
function nearestOf(name: string, seen: readonly NearestNames[]): string | undefined {
  const nearest = seen.flatMap((names) => names.tool(name) ?? []);
  return nearestWord(name, nearest) ?? nearest[0];
}
