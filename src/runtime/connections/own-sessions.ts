import type { Clock, Log } from '../../contract/ports.ts';
import { EMPTY_CATALOGUE } from '../../host/connection/catalogue/catalogue.ts';
import { listCatalogue } from '../../host/connection/catalogue/list-catalogue.ts';
import type { ClientConnectionsOptions, OwnConnection } from '../../host/connection/pool/client-connections.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { changedList, OwnLists, type OwnOffer } from '../../proxy/lists/own-lists.ts';
import { OwnSubscriptions } from '../../proxy/lists/own-subscriptions.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';

/** A connection of one client alone; with an owner where servers want a credential of each user. */
interface OwnedConnection extends OwnConnection {
  readonly owner: string | undefined;
}

export interface OwnSessionsOptions {
  /** What a server lists, held to its pins. */
  offerOf(
    own: OwnedConnection,
    catalogue: Awaited<ReturnType<typeof listCatalogue>>['catalogue'],
  ): OwnOffer | undefined;
  readonly feed: ChangeFeed;
  readonly log: Log;
  now(): number;
}

export type OwnHooks = Pick<ClientConnectionsOptions, 'prepare' | 'onNotification' | 'onEnded'>;

/** What clients have of their own connections: lists, subscriptions, log levels. */
export interface OwnSessions {
  readonly lists: OwnLists<OwnedConnection>;
  readonly subscriptions: OwnSubscriptions;
  hooks(owner?: string): OwnHooks;
}

/** Those of a gateway: what servers list there is held to their pins. */
export function ownSessionsOf(
  runtime: Pick<GatewayRuntime, 'placeOf' | 'catalogue' | 'feed'>,
  log: Log,
  { now }: Clock,
): OwnSessions {
  const { feed } = runtime;
  const offerOf: OwnSessionsOptions['offerOf'] = ({ server, upstream, owner }, catalogue) => {
    const place = runtime.placeOf(server);
    return place && runtime.catalogue.offerFrom(server, upstream, catalogue as never, { ...place, owner });
  };
  return ownSessions({ offerOf, feed, log, now });
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
