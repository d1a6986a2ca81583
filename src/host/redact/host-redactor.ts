import type { Log, LogFields } from '../../contract/ports.ts';
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

/** Masks in what belongs to one server with that server's secrets alone. */
export interface ServerRedactor extends Redactor {
  /** For calls of this server: what another entry keeps secret is no pattern there, or its writer could hide what a call says. */
  of(server: string): RestrictedRedactor;
}

/** A redactor of a server of which only a part may be kept. */
export interface RestrictedRedactor extends Redactor {
  /** What of the arguments may be kept or shown, before anything is masked; absent where all of it may. */
  readonly keep?: (value: unknown) => unknown;
}

/**
 * The redactor of a host: one object for everyone who writes. What a config kept secret once stays a secret. Of what is stored for
 * a server, what is in use does and what that replaced, which answers under way may still hold: renewals come without end. It is
 * to learn of entries that may run, and of no others.
 */
export class HostRedactor implements ServerRedactor {
  readonly #configured = new Map<string, Set<string>>();
  readonly #stored = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  #current = createRedactor();
  readonly #ofServers = new Map<string, Redactor>();
  readonly #restricted = new Map<string, (value: unknown) => unknown>();

  /** Learns what the entries of these servers keep secret. */
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

  /** Has what is recorded and shown of this server's calls pass a function of its own. */
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
    // Only servers that have secrets: whatever else is asked for must not be kept.
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

  /** All secrets are one expression, which is long in the making: only for something new. */
  #renew(): void {
    this.#ofServers.clear();
    const servers = new Set([...this.#configured.keys(), ...this.#stored.keys()]);
    this.#current = createRedactor([...servers].flatMap((server) => this.#secretsOf(server)));
  }
}

/** The same log, with every message and field masked before it is written. */
export function maskedLog(log: Log, redactor: Redactor): Log {
  const at = (level: keyof Log) => (message: string, fields?: LogFields) =>
    log[level](redactor.text(message), ...(fields === undefined ? [] : [redactor.value(fields) as LogFields]));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
