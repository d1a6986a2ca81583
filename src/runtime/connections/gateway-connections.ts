import type { NotificationMessage } from '../../contract/json.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { ClientConnections, type Sharing } from '../../host/connection/pool/client-connections.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import { Host, type HostPorts } from '../../host/host.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { ResourceWatches } from '../../proxy/lists/resource-watches.ts';
import { lastSeenCatalogues, type ServedServers } from '../catalogue/served-servers.ts';
import type { UserSide } from '../users/user-realm.ts';
import { UserRealms } from '../users/user-realms.ts';
import { type NodeSessions, type OwnSessions, type OwnSessionsOptions, openOwn, ownSessions } from './own-sessions.ts';

/** The connection settings of a server's entry. */
interface ConnectionSettings {
  readonly sharing?: Sharing | undefined;
  readonly credentials?: 'shared' | 'per_user' | undefined;
  readonly keep_alive?: boolean | undefined;
}

export interface GatewayConnectionsOptions {
  /** Host settings, without those that are the same in every gateway. */
  readonly host: Omit<HostPorts, 'client' | 'clientMetadataUrl' | 'log'>;
  /** Undefined for a server without an entry. */
  entryOf(server: string): ConnectionSettings | undefined;
  readonly servers: ServedServers;
  /** The offer on a client's own connection, held to its pins. */
  readonly offerOf: OwnSessionsOptions['offerOf'];
  readonly feed: ChangeFeed;
  readonly users: UserSide;
  /** Absent if this node is the only one. */
  readonly nodes: NodeSessions | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** All connections of a gateway to servers: shared, per client and per user. */
export class GatewayConnections {
  readonly host: Host;
  /** Chooses the connection for each client. */
  readonly clients: ClientConnections;
  /** The lists, subscriptions and log levels of clients' own connections. */
  readonly own: OwnSessions;
  readonly realms: UserRealms;
  readonly watches: ResourceWatches;
  /** The settings for connecting to servers. */
  readonly hostPorts: HostPorts;
  readonly #entryOf: GatewayConnectionsOptions['entryOf'];
  readonly #servers: ServedServers;

  constructor(options: GatewayConnectionsOptions) {
    const { entryOf, servers, offerOf, feed, users, nodes, clock, log } = options;
    this.#entryOf = entryOf;
    this.#servers = servers;
    this.hostPorts = {
      ...options.host,
      client: { info: CLIENT_INFO, callbacks: {} },
      clientMetadataUrl: () => users.callbacks.clientMetadataUrl,
      log,
    };
    this.host = new Host(this.hostPorts);
    this.own = ownSessions({ offerOf, feed, log, now: clock.now });
    const sharing = (server: string) => entryOf(server)?.sharing ?? 'auto';
    this.clients = new ClientConnections({
      shared: (server, signal) =>
        servers.builtins.get(server) ?? this.host.liveOf(server) ?? this.host.connection(server, signal),
      openOwn: (server, client) => openOwn(this.host, server, client, nodes),
      sharing,
      ...this.own.hooks(),
      now: clock.now,
    });
    this.realms = new UserRealms({
      ...users,
      openOwn: (host, server, client) => openOwn(host, server, client, nodes),
      sharing,
      ownHooks: (owner) => this.own.hooks(owner),
    });
    this.watches = new ResourceWatches(async (server, signal, owner) =>
      (owner === undefined ? this.clients : this.realms.of(owner).connections).shared(server, signal),
    );
    this.host.on('notification', (server: string, { method, params }: NotificationMessage) =>
      feed.emit('notice', { server, key: undefined, method, params }),
    );
    this.host.on('removed', (id: string) => this.clients.retire(id));
  }

  /** Applies the servers that may be connected now. */
  apply(specs: readonly ServerSpec[]): void {
    const isPerUser = ({ id }: ServerSpec) => this.#entryOf(id)?.credentials === 'per_user';
    this.realms.apply(specs.filter(isPerUser));
    this.host.apply(
      specs.filter((spec) => !isPerUser(spec)),
      lastSeenCatalogues(this.#servers.offers()),
    );
  }

  /** Connects the servers whose entries ask for a permanent connection. */
  connectKept(): void {
    for (const id of this.#servers.ids()) {
      if (this.#entryOf(id)?.keep_alive && this.host.statusOf(id)?.connected === false) {
        this.host.connection(id).catch(() => {
          // The server's status shows the failure.
        });
      }
    }
  }

  closeIdle(): void {
    this.clients.closeIdle();
    this.realms.closeIdle();
  }

  async close(): Promise<void> {
    await this.clients.close();
    await this.realms.close();
    await this.host.close();
  }
}
