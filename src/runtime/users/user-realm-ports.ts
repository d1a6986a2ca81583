import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '../../contract/ports.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { createHost } from '../../host/host.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { observeCredentials } from '../../host/redact/observed-tokens.ts';
import { SealedCredentials } from '../../store/credentials/sealed-credentials.ts';
import { changeEntry } from '../catalogue/change-entry.ts';
import { credentialKeys } from '../config/private-file.ts';
import type { GatewayRuntime } from '../gateway-runtime.ts';
import type { UserRealmPorts } from './user-realm.ts';
import { REALM_LIMITS } from './user-realms.ts';

export interface UserRealmPortsOptions {
  readonly runtime: GatewayRuntime;
  readonly dataDir: string;
  readonly database: DatabaseSync;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  readonly openOwn: UserRealmPorts['openOwn'];
}

/** What realms of users run on in a gateway. The file of keys is made when the first user comes. */
export function userRealmPorts(options: UserRealmPortsOptions): UserRealmPorts {
  const { runtime, dataDir, database, clock, log, env, openOwn } = options;
  let sealed: SealedCredentials | undefined;
  const credentials = () => {
    sealed ??= new SealedCredentials(database, credentialKeys(dataDir), clock, log);
    return sealed;
  };
  const entryOf = (server: string) => runtime.effective(server)?.configured.entry;
  return {
    openOwn,
    createHost: (owner) => {
      // Tokens of users stay out of the gateway's own redactor: it looks through the arguments of every call.
      const redactor = new HostRedactor();
      return createHost({
        client: { info: CLIENT_INFO, callbacks: {} },
        environment: env,
        redact: (text) => redactor.text(runtime.redactor.text(text)),
        log,
        tokens: observeCredentials(credentials().of(owner), redactor),
        signInsAtOnce: REALM_LIMITS.signInsAtOnce,
        clientMetadataUrl: () => runtime.desk.clientMetadataUrl,
      });
    },
    sharing: (server) => entryOf(server)?.sharing ?? 'auto',
    ownHooks: (owner) => runtime.own.hooks(owner),
    remembered: (owner) => runtime.catalogue.privateOffers(owner),
    learn: async (owner, server, upstream, catalogue) => {
      const place = runtime.placeOf(server);
      if (!place) throw new Error('the server was removed');
      const { offer, changes } = runtime.catalogue.learnPrivate(owner, server, upstream, catalogue as never, place);
      for (const change of changes) await runtime.audit.append(changeEntry(change, runtime.gateway.ports));
      return offer;
    },
    shared: {
      version: () => runtime.catalogue.version,
      offers: () => runtime.offers(),
      policyLayers: (profile) => runtime.policyLayers(profile),
      isQuarantined: (server) => runtime.effective(server)?.isQuarantined ?? false,
      get searchAids() {
        return runtime.search;
      },
    },
    onNotice: (notice) => runtime.feed.emit('notice', notice),
    onChanged: () => runtime.feed.changed(),
    log,
    now: clock.now,
  };
}
