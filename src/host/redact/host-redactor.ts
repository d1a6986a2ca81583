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

/** The redactor of a host: one object for everyone who writes. What was a secret once stays one. */
export class HostRedactor implements Redactor {
  readonly #secrets = new Set<string>();
  #current = createRedactor();

  /** Learns what the entries of these servers keep secret. */
  learnServers(servers: readonly ConfiguredServer[], env: Environment): void {
    this.#learn(servers.flatMap(({ entry }) => (entry ? knownSecrets(entry, env) : [])));
  }

  learnTokens(stored: Iterable<StoredSecrets>): void {
    const tokens = [...stored].flatMap((one) => [one.access_token, one.refresh_token, one.client_secret]);
    this.#learn(tokens.filter((token) => token !== undefined));
  }

  text(text: string): string {
    return this.#current.text(text);
  }

  value(value: unknown): unknown {
    return this.#current.value(value);
  }

  #learn(secrets: readonly string[]): void {
    for (const secret of secrets) this.#secrets.add(secret);
    this.#current = createRedactor(this.#secrets);
  }
}
