import type { ServerSpec } from '../../host/connection/supervision/server-spec.ts';
import type { Client } from '../../proxy/message/client.ts';
import type { ClientRequest } from '../../proxy/message/client-message.ts';
import type { ServerCatalogue } from '../catalogue/server-catalogue.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';

/** A follower connects to what needs nobody's help: servers over HTTP that somebody has seen before. */
export function isFollowed({ id, transport }: ServerSpec, catalogue: ServerCatalogue): boolean {
  return transport === 'http' && catalogue.offer(id) !== undefined;
}

/** The primary wrote to the registry: what stands there now holds here too. */
export async function followPrimary(runtime: GatewayRuntime): Promise<void> {
  runtime.catalogue.reload();
  await runtime.refresh();
}

/**
 * Whether a follower can serve a call as well as any other process: nobody is asked, nothing is counted, and its server keeps
 * nothing between calls. A server that is not connected here yet is connected for the next one.
 */
export function servesHere(runtime: GatewayRuntime, client: Client, request: ClientRequest): boolean {
  const { limits } = runtime.config.settings;
  if (limits?.client_per_minute !== undefined || limits?.server_per_minute !== undefined) return false;
  const server = runtime.gateway.plainTarget(client, request);
  if (server === undefined || runtime.host.statusOf(server) === undefined) return false;
  const live = runtime.host.liveOf(server);
  if (live === undefined) {
    runtime.host.connection(server).catch(() => {
      // The primary serves meanwhile, and says what is wrong.
    });
  }
  return live !== undefined && runtime.connections.isShared(server, live);
}
