import type { CancelSignal } from '../../contract/cancellation.ts';
import type { ClientConnections } from '../../host/connection/pool/client-connections.ts';
import type { Connections } from '../../proxy/call/ports.ts';
import type { CallUpstream } from '../../wire/upstream.ts';
import type { UserRealms } from '../users/user-realms.ts';

/** Connections of clients: to servers that want a credential of each user, those of the client's own caller. */
export function userConnections(shared: ClientConnections, realms: UserRealms): Connections {
  const each = () => [shared, ...[...realms.all()].map(({ connections }) => connections)];
  return {
    connection: (server, client, signal) =>
      (realms.isPerUser(server) ? realms.of(client.caller).connections : shared).connection(server, client, signal),
    open: (client) => [...shared.open(client), ...(realms.find(client.caller)?.connections.open(client) ?? [])],
    release: (key) => {
      for (const one of each()) one.release(key);
    },
    left: (key) => {
      for (const one of each()) one.left(key);
    },
  };
}

/** The connection that everybody shares, or all clients of one user. */
export async function sharedConnection(
  shared: ClientConnections,
  realms: UserRealms,
  server: string,
  signal: CancelSignal,
  owner: string | undefined,
): Promise<CallUpstream> {
  const connections = owner === undefined ? shared : realms.of(owner).connections;
  return connections.shared(server, signal);
}
