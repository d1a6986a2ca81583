import type { DatabaseSync } from 'node:sqlite';
import type { Clock, Log } from '../../contract/ports.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { Host } from '../../host/host.ts';
import { HostRedactor } from '../../host/redact/host-redactor.ts';
import { observeCredentials } from '../../host/redact/observed-tokens.ts';
import { SealedCredentials } from '../../store/credentials/sealed-credentials.ts';
import { credentialKeys } from '../config/private-file.ts';
import type { OAuthCallbacks } from './oauth-callbacks.ts';
import { REALM_LIMITS } from './user-realms.ts';

export interface UserHostsOptions {
  readonly dataDir: string;
  readonly database: DatabaseSync;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  /** Masks the secrets of the whole gateway. */
  readonly redactor: HostRedactor;
  readonly callbacks: OAuthCallbacks;
}

/** Creates hosts that use one user's tokens. The key file is created for the first user. */
export function userHosts(options: UserHostsOptions): (owner: string) => Host {
  const { dataDir, database, env, clock, log, callbacks } = options;
  let sealed: SealedCredentials | undefined;
  return (owner) => {
    sealed ??= new SealedCredentials(database, credentialKeys(dataDir), clock, log);
    // Keep users' tokens out of the gateway's own redactor, which scans the arguments of every call.
    const redactor = new HostRedactor();
    return new Host({
      client: { info: CLIENT_INFO, callbacks: {} },
      environment: env,
      redact: (text) => redactor.text(options.redactor.text(text)),
      log,
      tokens: observeCredentials(sealed.of(owner), redactor),
      signInsAtOnce: REALM_LIMITS.signInsAtOnce,
      clientMetadataUrl: () => callbacks.clientMetadataUrl,
    });
  };
}
