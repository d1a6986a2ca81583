import type { Log, LogFields } from '../../contract/ports.ts';
import { createRedactor, type Redactor } from '../../contract/redact.ts';
import type { ConfiguredServer } from '../config/configured-servers.ts';
import type { Environment } from '../config/expand-env.ts';
import { knownSecrets } from './known-secrets.ts';

/** Credentials that are stored outside of the config. */
export interface StoredSecrets {
  readonly access_token?: string;
  readonly refresh_token?: string;
  readonly client_secret?: string;
}

/** Masks text of one server with only that server's secrets. */
export interface ServerRedactor extends Redactor {
  /**
   * For calls of this server. Secrets of other entries are not masked there, otherwise the author of another entry could hide parts of a
   * call.
   */
  of(server: string): RestrictedRedactor;
}

/** A redactor of a server whose arguments are stored or shown only in part. */
export interface RestrictedRedactor extends Redactor {
  /** Selects the part of the arguments that may be stored or shown, before masking; absent: all of them. */
  readonly keep?: (value: unknown) => unknown;
}

/**
 * The redactor of a host, shared by everything that writes. Secrets of a config are masked forever. Of stored tokens, only the current
 * and the previous one are masked (running answers may contain it), because renewals never end. It must learn only entries that may run.
 */
export class HostRedactor implements ServerRedactor {
  readonly #configured = new Map<string, Set<string>>();
  readonly #stored = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  #current = createRedactor();
  readonly #ofServers = new Map<string, Redactor>();
  readonly #restricted = new Map<string, (value: unknown) => unknown>();

  /** Learns the secrets of these servers' entries. */
  learnServers(servers: readonly ConfiguredServer[], env: Environment): void {
    let hasNew = false;
    for (const { id, entry } of servers) {
      const known = this.#configured.get(id) ?? new Set();
      const before = known.size;
      for (const secret of entry ? knownSecrets(entry, env) : []) known.add(secret);
      if (known.size === before) continue;
      this.#configured.set(id, known);
      hasNew = true;
    }
    if (hasNew) this.#renew();
  }

  /** Learns stored credentials, by server id. */
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

  /** Filters what is recorded and shown of this server's calls. */
  restrict(server: string, keep: (value: unknown) => unknown): void {
    this.#restricted.set(server, keep);
    this.#ofServers.clear();
  }

  of(server: string): RestrictedRedactor {
    const keep = this.#restricted.get(server);
    const redactor = this.#redactorOf(server);
    return keep ? { ...redactor, keep, value: (value) => keep(redactor.value(value)) } : redactor;
  }

  #redactorOf(server: string): Redactor {
    const known = this.#ofServers.get(server);
    if (known) return known;
    const made = createRedactor(this.#secretsOf(server));
    // Cache only servers with secrets, so that unknown ids cannot fill the memory.
    if (this.#configured.has(server) || this.#stored.has(server)) this.#ofServers.set(server, made);
    return made;
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

  #secretsOf(server: string): string[] {
    const { now = [], before = [] } = this.#stored.get(server) ?? {};
    return [...(this.#configured.get(server) ?? []), ...now, ...before];
  }

  /** Compiles all secrets to one regular expression. That is slow, so only if there is a new secret. */
  #renew(): void {
    this.#ofServers.clear();
    const servers = new Set([...this.#configured.keys(), ...this.#stored.keys()]);
    this.#current = createRedactor([...servers].flatMap((server) => this.#secretsOf(server)));
  }
}

/** A log that masks every message and field. */
export function maskedLog(log: Log, redactor: Redactor): Log {
  const at = (level: keyof Log) => (message: string, fields?: LogFields) =>
    log[level](redactor.text(message), ...(fields === undefined ? [] : [redactor.value(fields) as LogFields]));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
