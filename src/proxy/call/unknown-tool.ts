import { nearestWord } from '../../contract/nearest-word.ts';
import { NearestNames } from '../../gateway/search/words/nearest-names.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { ClientViews } from '../lists/client-views.ts';
import { undiscoveredText } from '../lists/list-answers.ts';
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

/** The error for an unknown name. If several servers have a tool of this name, it lists them, and the client has to choose. */
export function unknownTool({ ports, views, view }: ToolPlace, client: Client, name: string): RpcFailure {
  const candidates = view
    .toolsNamed(name)
    .slice(0, PROXY_LIMITS.candidatesMax)
    .map((entry) => entry.name);
  if (candidates.length === 0) {
    const why = undiscoveredText(ports, view, name);
    const nearest = nearestOf(name, [view.search().nearestNames(), new NearestNames(views.ownTools(client))]);
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const message = why + hint === '' ? `Unknown tool: ${name}` : `Unknown tool: ${name}.${why}${hint}`;
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
