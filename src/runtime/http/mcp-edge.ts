import type { Gateway } from '../../proxy/call/gateway.ts';
import type { EdgeAccess, HttpEdge } from '../../proxy/http/edge-request.ts';
import { createHttpEdge } from '../../proxy/http/http-edge.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import type { AssemblyOptions } from '../assembly-options.ts';
import type { ClientSessions } from '../sessions/client-sessions.ts';

/** The parts of a gateway that serve `/mcp`. */
export interface McpGateway {
  readonly gateway: Gateway;
  readonly sessions: ClientSessions;
  readonly feed: ChangeFeed;
  readonly isDraining: boolean;
  readonly nodes: AssemblyOptions['nodes'];
  readonly options: AssemblyOptions;
}

/** The handler of `/mcp` and `/mcp/<profile>`. */
export function mcpEdge(served: McpGateway, access: EdgeAccess): HttpEdge {
  const { gateway, sessions, feed, nodes, options } = served;
  return createHttpEdge({
    gateway,
    sessions: sessions.table,
    feed,
    log: options.log,
    isDraining: () => served.isDraining,
    ...(nodes?.admitting(access) ?? access),
  });
}

/** `/mcp` is the default profile, `/mcp/<profile>` another one; undefined for other paths. */
export function mcpProfile(url: string): string | undefined {
  if (url === '/mcp') return 'default';
  const match = /^\/mcp(?:\/([^/?#]*))?\/?(?:[?#].*)?$/.exec(url);
  return match ? match[1] || 'default' : undefined;
}
