import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { prepareTools } from '../catalogue/prepare-tools.ts';
import type { ServerCatalogue } from '../catalogue/server-catalogue.ts';
import { type UserHostsOptions, userHosts } from './user-hosts.ts';
import type { UserSide } from './user-realm.ts';

export interface UserSideOptions extends UserHostsOptions {
  readonly catalogue: ServerCatalogue;
  readonly feed: ChangeFeed;
  readonly view: UserSide['shared'];
  /** Records a definition that is not the accepted one. */
  record(change: ChangedDefinition): Promise<void>;
}

/** Hosts and catalogues of single users. */
export function userSide(options: UserSideOptions): UserSide {
  const { catalogue, feed, callbacks, log, clock } = options;
  return {
    createHost: userHosts(options),
    remembered: (owner) => catalogue.privateOffers(owner),
    learn: async (owner, server, host) => {
      const upstream = await host.connection(server);
      const listed = host.catalogueOf(server);
      await prepareTools(listed.tools);
      const { offer, changes } = catalogue.learnPrivate(owner, server, upstream, listed as never);
      for (const change of changes) await options.record(change);
      return offer;
    },
    shared: options.view,
    onNotice: (notice) => feed.emit('notice', notice),
    onChanged: () => feed.changed(),
    callbacks,
    log,
    now: clock.now,
  };
}
