import { createServer, type Server } from 'node:http';
import { plainTarget } from '../../proxy/call/plain-target.ts';
import { paceRequests } from '../../proxy/http/paced-requests.ts';
import type { Client, ClientRequest } from '../../proxy/message/client.ts';
import type { GatewayAssembly } from '../gateway-assembly.ts';
import type { AccessControl } from '../http/access-control.ts';
import { mcpEdge, mcpProfile } from '../http/mcp-edge.ts';
import { watchUnsent } from '../http/watch-unsent.ts';
import { passOn } from './pass-on.ts';

/** Serves the calls that a worker can serve, and forwards everything else to the primary's socket. */
export function workerServer(
  runtime: GatewayAssembly,
  { acceptsHost, credentials }: AccessControl,
  socketPath: string,
): Server {
  const pass = passOn(socketPath);
  const edge = mcpEdge(runtime, {
    authenticate: (headers, profile) => credentials.caller(headers.authorization, profile),
    acceptsHost,
    relay: { pass, servesHere: (client, request) => servesHere(runtime, client, request) },
  });
  const server = createServer((request, response) => {
    const profile = mcpProfile(request.url ?? '');
    if (profile === undefined) pass(request, response);
    else edge(request, response, profile);
  });
  paceRequests(server);
  watchUnsent(server);
  return server;
}

/**
 * Whether a worker can serve a call as well as the primary: no approval, no rate limit, and a stateless server. If the server is not
 * connected here yet, connects it for the next call.
 */
function servesHere(
  { config, gateway, connections }: GatewayAssembly,
  client: Client,
  request: ClientRequest,
): boolean {
  const { limits } = config.settings;
  if (limits?.client_per_minute !== undefined || limits?.server_per_minute !== undefined) return false;
  const { host, clients } = connections;
  const server = plainTarget(gateway, client, request);
  if (server === undefined || host.statusOf(server) === undefined) return false;
  const live = host.liveOf(server);
  if (live === undefined) {
    host.connection(server).catch(() => {
      // The primary serves the call and reports the problem.
    });
  }
  return live !== undefined && clients.isShared(server, live);
}
