import { CLIENT_INFO } from '../../host/client-info.ts';
import type { SharingClient } from '../../host/connection/pool/client-connections.ts';
import type { Host } from '../../host/host.ts';
import type { KeptSession, Upstream } from '../../wire/upstream.ts';
import type { SeveralNodes } from '../nodes/several-nodes.ts';

/** A connection for one client alone, which says what the client declared. */
export async function openOwnConnection(
  host: Host,
  server: string,
  client: SharingClient,
  nodes?: SeveralNodes,
): Promise<Upstream> {
  const { info = CLIENT_INFO, capabilities } = client;
  const connect = (kept?: KeptSession) => host.openSession(server, { info, callbacks: {}, capabilities }, { kept });
  return nodes ? nodes.openOwn(server, client, connect) : connect();
}
