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

/**
 * The redactor of a host: one object for everyone who writes. What a config kept secret once stays a secret. Of what is stored for
 * a server, what is in use does and what that replaced, which answers under way may still hold: renewals come without end.
 */
export class HostRedactor implements Redactor {
  readonly #configured = new Set<string>();
  readonly #stored = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  #current = createRedactor();

  /** Learns what the entries of these servers keep secret. */
  learnServers(servers: readonly ConfiguredServer[], env: Environment): void {
    const known = this.#configured.size;
    for (const { entry } of servers) {
      for (const secret of entry ? knownSecrets(entry, env) : []) this.#configured.add(secret);
    }
    if (this.#configured.size > known) this.#renew();
  }

  /** Learns what is stored for servers, by their ids. */
  learnTokens(stored: Iterable<readonly [id: string, secrets: StoredSecrets]>): void {
    let hasNew = false;
    for (const [id, { access_token, refresh_token, client_secret }] of stored) {
      const now = [access_token, refresh_token, client_secret].filter((secret) => secret !== undefined);
      const before = this.#stored.get(id)?.now ?? [];
      if (now.every((secret) => before.includes(secret))) continue;
      this.#stored.set(id, { now, before });
      hasNew = true;
    }
    if (hasNew) this.#renew();
  }

  text(text: string): string {
    return this.#current.text(text);
  }

  known(text: string): string {
    return this.#current.known(text);
  }

  value(value: unknown): unknown {
    return this.#current.value(value);
  }

  /** All secrets are one expression, which is long in the making: only for something new. */
  #renew(): void {
    const stored = [...this.#stored.values()].flatMap(({ now, before }) => [...now, ...before]);
    this.#current = createRedactor([...this.#configured, ...stored]);
  }
}
