import type { Log } from '../../contract/ports.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type {
  ClientConnectionsOptions,
  OwnConnection,
  SharingClient,
} from '../../host/connection/pool/client-connections.ts';
import type { Host } from '../../host/host.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { changedList, OwnLists, type OwnOffer } from '../../proxy/lists/own-lists.ts';
import { OwnSubscriptions } from '../../proxy/lists/own-subscriptions.ts';
import type { KeptSession, Upstream } from '../../wire/upstream.ts';

/** A connection that serves one client only; `owner` is set if the server has per-user credentials. */
interface OwnedConnection extends OwnConnection {
  readonly owner: string | undefined;
}

export interface OwnSessionsOptions {
  /** A server's lists as an offer, held to its pins. */
  offerOf(
    own: OwnedConnection,
    catalogue: Awaited<ReturnType<typeof listCatalogue>>['catalogue'],
  ): OwnOffer | undefined;
  readonly feed: ChangeFeed;
  readonly log: Log;
  now(): number;
}

export type OwnHooks = Pick<ClientConnectionsOptions, 'prepare' | 'onNotification' | 'onEnded'>;

/** The lists, subscriptions and log levels of clients' own connections. */
export interface OwnSessions {
  readonly lists: OwnLists<OwnedConnection>;
  readonly subscriptions: OwnSubscriptions;
  hooks(owner?: string): OwnHooks;
}

export function ownSessions({ offerOf, feed, log, now }: OwnSessionsOptions): OwnSessions {
  const subscriptions = new OwnSubscriptions();
  const lists = new OwnLists<OwnedConnection>({
    list: async (own) => offerOf(own, (await listCatalogue(own.upstream, EMPTY_CATALOGUE, now())).catalogue),
    onChanged: ({ server, key }, kinds) => {
      for (const kind of kinds)
        feed.emit('notice', { server, key, method: `notifications/${kind}/list_changed`, params: undefined });
    },
    log,
  });
  return {
    lists,
    subscriptions,
    hooks: (owner) => ({
      prepare: (own, { logLevel }) => subscriptions.prepare(own, logLevel),
      onNotification: (own, { method, params }) => {
        const list = changedList(method);
        if (list) lists.changed({ ...own, owner }, list);
        else feed.emit('notice', { server: own.server, key: own.key, method, params });
      },
      onEnded: (own) => lists.ended({ ...own, owner }),
    }),
  };
}

/** Other nodes, which can continue clients' sessions. */
export interface NodeSessions {
  openOwn(server: string, client: SharingClient, connect: (kept?: KeptSession) => Promise<Upstream>): Promise<Upstream>;
}

/** Opens a connection for one client only, with the client's declared capabilities. */
export async function openOwn(
  host: Host,
  server: string,
  client: SharingClient,
  nodes: NodeSessions | undefined,
): Promise<Upstream> {
  const { info = CLIENT_INFO, capabilities } = client;
  const connect = (kept?: KeptSession) => host.openSession(server, { info, callbacks: {}, capabilities }, { kept });
  return nodes ? nodes.openOwn(server, client, connect) : connect();
}
