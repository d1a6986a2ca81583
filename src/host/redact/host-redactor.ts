import { createRedactor, type Redactor } from '../../contract/redact.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import type { Environment } from '../config/expand-env.ts';
import { knownSecrets } from './known-secrets.ts';

/** Credentials that are stored outside the config. */
export interface StoredSecrets {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly client_secret?: string;
}

/** The redactor of a host: one object for everyone who writes, which learns the secrets of each config that is loaded. */
export class HostRedactor implements Redactor {
  #current = createRedactor();

  /** Takes the secrets of these servers and tokens in place of the ones before. */
  learn(servers: readonly ConfiguredServer[], stored: Iterable<StoredSecrets>, env: Environment): void {
    const configured = servers.flatMap(({ entry }) => (entry ? knownSecrets(entry, env) : []));
    const tokens = [...stored].flatMap((one) => [one.access_token, one.refresh_token, one.client_secret]);
    this.#current = createRedactor([...configured, ...tokens.filter((token) => token !== undefined)]);
  }

  text(text: string): string {
    return this.#current.text(text);
  }

  value(value: unknown): unknown {
    return this.#current.value(value);
  }
}
