import type { CancelSignal } from '../../contract/cancellation.ts';
import type { ClientConnections } from '../../host/connection/pool/client-connections.ts';
import type { Connections, UpstreamPort } from '../../proxy/call/ports.ts';
import type { UserRealms } from '../users/user-realms.ts';

/** Connections of clients: to servers that want a credential of each user, those of the client's own caller. */
export function userConnections(shared: ClientConnections, realms: UserRealms): Connections {
  const each = () => [shared, ...[...realms.all()].map(({ connections }) => connections)];
  const connections = {
    connection: (server: string, client: Parameters<Connections['connection']>[1], signal: CancelSignal) =>
      (realms.isPerUser(server) ? realms.of(client.caller).connections : shared).connection(server, client, signal),
    open: (client: Parameters<Connections['open']>[0]) => [
      ...shared.open(client),
      ...(realms.find(client.caller)?.connections.open(client) ?? []),
    ],
    release: (key: string) => {
      for (const one of each()) one.release(key);
    },
    left: (key: string) => {
      for (const one of each()) one.left(key);
    },
  };
  return connections as unknown as Connections;
}

/** The connection that everybody shares, or all clients of one user. */
export async function sharedConnection(
  shared: ClientConnections,
  realms: UserRealms,
  server: string,
  signal: CancelSignal,
  owner: string | undefined,
): Promise<UpstreamPort> {
  const connections = owner === undefined ? shared : realms.of(owner).connections;
  return (await connections.shared(server, signal)) as unknown as UpstreamPort;
}
