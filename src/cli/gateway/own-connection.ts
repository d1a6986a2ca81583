import { CLIENT_INFO } from '../../host/client-info.ts';
import type { SharingClient } from '../../host/connection/client-connections.ts';
import type { KeptSession, Upstream } from '../../host/connection/upstream.ts';
import type { Host } from '../../host/host.ts';
import type { LogLevels } from '../../proxy/log-levels.ts';
import type { SeveralNodes } from './several-nodes.ts';

/** A connection for one client alone: it says what the client declared, and logs from the level that the client set. */
export async function openOwnConnection(
  host: Host,
  server: string,
  client: SharingClient,
  levels: LogLevels,
  nodes?: SeveralNodes,
): Promise<Upstream> {
  const { key, info = CLIENT_INFO, capabilities } = client;
  const connect = (kept?: KeptSession) => host.openSession(server, { info, callbacks: {}, capabilities }, { kept });
  const upstream = nodes ? await nodes.openOwn(server, client, connect) : await connect();
  const level = levels.of(key);
  if (level !== undefined && upstream.era === '2025' && upstream.capabilities.logging !== undefined)
    await upstream.request({ method: 'logging/setLevel', params: { level } });
  return upstream;
}
