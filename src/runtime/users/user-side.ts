import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '../../contract/ports.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { Host } from '../../host/host.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { observeCredentials } from '../../host/redact/observed-tokens.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { SealedCredentials } from '../../store/credentials/sealed-credentials.ts';
import type { ChangedDefinition } from '../../store/registry/accepted-definitions.ts';
import { prepareTools } from '../catalogue/prepare-tools.ts';
import type { ServerCatalogue } from '../catalogue/server-catalogue.ts';
import { credentialKeys } from '../config/private-file.ts';
import type { OAuthCallbacks } from './oauth-callbacks.ts';
import type { UserSide } from './user-realm.ts';
import { REALM_LIMITS } from './user-realms.ts';

export interface UserSideOptions {
  readonly dataDir: string;
  readonly database: DatabaseSync;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  /** Masks what the whole gateway keeps secret. */
  readonly redactor: HostRedactor;
  readonly callbacks: OAuthCallbacks;
  readonly catalogue: ServerCatalogue;
  readonly feed: ChangeFeed;
  readonly view: UserSide['shared'];
  /** Records a definition that is not the accepted one. */
  record(change: ChangedDefinition): Promise<void>;
}

/** Hosts and catalogues of single users. The file of keys is made when the first user comes. */
export function userSide(options: UserSideOptions): UserSide {
  const { dataDir, database, env, clock, log, catalogue, feed, callbacks } = options;
  let sealed: SealedCredentials | undefined;
  const credentials = () => {
    sealed ??= new SealedCredentials(database, credentialKeys(dataDir), clock, log);
    return sealed;
  };
  return {
    createHost: (owner) => {
      // Tokens of users stay out of the gateway's own redactor: it looks through the arguments of every call.
      const redactor = new HostRedactor();
      return new Host({
        client: { info: CLIENT_INFO, callbacks: {} },
        environment: env,
        redact: (text) => redactor.text(options.redactor.text(text)),
        log,
        tokens: observeCredentials(credentials().of(owner), redactor),
        signInsAtOnce: REALM_LIMITS.signInsAtOnce,
        clientMetadataUrl: () => callbacks.clientMetadataUrl,
      });
    },
    remembered: (owner) => catalogue.privateOffers(owner),
    learn: async (owner, server, upstream, listed) => {
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
