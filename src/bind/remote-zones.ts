import type { Clock } from '../contract/ports.ts';
import { BIND_LIMITS } from './limits.ts';
import { readZoneText } from './read-zone.ts';
import type { CascadeReason, Zone, ZoneSource } from './zone.ts';

/** The answer of another resolver to a request for a zone. */
export type FetchedZone =
  | { readonly kind: 'zone'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: RemoteReason };

export type RemoteReason = Extract<
  CascadeReason,
  'unreachable' | 'timeout' | 'untrusted' | 'protected' | 'corrupt' | 'no_resolver' | 'busy'
>;

export interface RemoteResolvers {
  /** Whether any resolver is configured. */
  isAny(): boolean;
  /** Asks the resolver of an authority for a stored zone. It never rejects. */
  askFor(authority: string, name: string): Promise<FetchedZone>;
  /** How long a zone may be used after its ttl while its resolver cannot be reached. */
  staleIfErrorSeconds(authority: string): number;
}

interface Entry {
  /** The last fetched zone, under its key; undefined if there is none. */
  zone: Zone | undefined;
  fetchedAtMs: number;
  /** Why there is no zone, or why the last refresh failed. */
  failure: CascadeReason | undefined;
  failedAtMs: number;
  fetching: Promise<void> | undefined;
}

/**
 * The local zones and the fetched zones of other resolvers in one source. A zone of another resolver has the key
 * `name@authority`; the names that it inherits from belong to its own resolver unless they say otherwise. Resolution stays
 * synchronous and pure: `gather` fetches the needed zones first.
 */
export class RemoteZones implements ZoneSource {
  readonly #local: ZoneSource;
  readonly #resolvers: RemoteResolvers;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #fetching = 0;

  constructor(local: ZoneSource, resolvers: RemoteResolvers, clock: Clock) {
    this.#local = local;
    this.#resolvers = resolvers;
    this.#clock = clock;
  }

  get version(): number {
    return this.#local.version;
  }

  get staleSinceMs(): number | undefined {
    return this.#local.staleSinceMs;
  }

  names(): readonly string[] {
    return this.#local.names();
  }

  get(key: string): Zone | undefined {
    if (!isRemote(key)) return this.#local.get(key);
    const entry = this.#entries.get(key);
    if (!entry?.zone) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const { zone } = entry;
    const ageSeconds = Math.max(0, Math.floor((this.#clock.now() - entry.fetchedAtMs) / 1000));
    if (ageSeconds < zone.ttl) return aged(zone, ageSeconds, false);
    const graceSeconds = this.#resolvers.staleIfErrorSeconds(authorityOf(key));
    const isUsable = entry.failure !== undefined && ageSeconds < zone.ttl + graceSeconds;
    return isUsable ? aged(zone, ageSeconds, true) : undefined;
  }

  absence(key: string): CascadeReason | undefined {
    if (!isRemote(key)) return undefined;
    return this.asksOthers ? (this.#entries.get(key)?.failure ?? 'timeout') : 'no_resolver';
  }

  /** Whether there is any other resolver to ask. */
  get asksOthers(): boolean {
    return this.#resolvers.isAny();
  }

  /** Drops all zones of other resolvers, because the settings that they were fetched with changed. */
  forget(): void {
    this.#entries.clear();
  }

  isRemote(name: string): boolean {
    return isRemote(name);
  }

  /** Whether the answer for a name depends on other resolvers, as far as the cached zones show. */
  dependsOnOthers(name: string): boolean {
    return this.asksOthers && this.#walk(name).some(isRemote);
  }

  /** Fetches the zones of other resolvers that a name needs and that are not cached; undefined: none is missing. */
  gather(name: string): Promise<void> | undefined {
    return !this.asksOthers || this.#due(name).length === 0 ? undefined : this.#gatherAll(name);
  }

  /** Each round fetches the zones that the last one named, so the limits of a closure also limit the rounds. */
  async #gatherAll(name: string): Promise<void> {
    const endMs = this.#clock.now() + BIND_LIMITS.remoteBudgetMs;
    for (let depth = 0; depth <= BIND_LIMITS.cascadeDepthMax; depth += 1) {
      const due = this.#due(name);
      if (due.length === 0 || this.#clock.now() >= endMs) return;
      for (let index = 0; index < due.length; index += BIND_LIMITS.remoteFetchesTogether) {
        const together = due.slice(index, index + BIND_LIMITS.remoteFetchesTogether);
        await Promise.all(together.map((key) => this.#refresh(key)));
      }
    }
  }

  #due(name: string): string[] {
    return this.#walk(name).filter((key) => isRemote(key) && this.#isDue(key));
  }

  #isDue(key: string): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return true;
    const now = this.#clock.now();
    if (entry.failure !== undefined) {
      const waitSeconds =
        entry.failure === 'unknown_identity' ? BIND_LIMITS.negativeTtlSeconds : BIND_LIMITS.transientTtlSeconds;
      return now - entry.failedAtMs >= waitSeconds * 1000;
    }
    return entry.zone === undefined || now - entry.fetchedAtMs >= entry.zone.ttl * 1000;
  }

  /** The keys of a closure as far as its zones are cached, within the limits of a resolution. */
  #walk(name: string): string[] {
    const keys = new Set([name]);
    for (const key of keys) {
      for (const { target } of this.get(key)?.cascades ?? []) {
        // One more than the limit of a resolution, so that the closure detects that there are too many.
        if (target !== undefined && keys.size <= BIND_LIMITS.zonesPerResolutionMax) keys.add(target);
      }
    }
    return [...keys];
  }

  #refresh(key: string): Promise<void> {
    const entry = this.#entryOf(key);
    entry.fetching ??= this.#request(key, entry).finally(() => {
      entry.fetching = undefined;
    });
    return entry.fetching;
  }

  async #request(key: string, entry: Entry): Promise<void> {
    if (this.#fetching >= BIND_LIMITS.remoteFetchesMax) return this.#fail(entry, 'busy');
    this.#fetching += 1;
    try {
      this.#take(key, entry, await this.#resolvers.askFor(authorityOf(key), nameOf(key)));
    } finally {
      this.#fetching -= 1;
    }
  }

  #take(key: string, entry: Entry, fetched: FetchedZone): void {
    const reason = fetched.kind === 'absent' ? 'unknown_identity' : fetched.kind === 'failed' && fetched.reason;
    // "Not found" and "reserved" are answers, not errors: an older zone must not outlive them.
    if (reason === 'unknown_identity' || reason === 'protected') entry.zone = undefined;
    const zone = fetched.kind === 'zone' ? readRemote(key, fetched.text) : undefined;
    if (zone === undefined || zone.state === 'unreadable') {
      this.#fail(entry, reason || 'corrupt');
      return;
    }
    entry.zone = zone;
    entry.fetchedAtMs = this.#clock.now();
    entry.failure = undefined;
  }

  #fail(entry: Entry, reason: CascadeReason): void {
    entry.failure = reason;
    entry.failedAtMs = this.#clock.now();
  }

  /** The entry of a key, marked as most recently used; above the limit the least recently used one is evicted. */
  #entryOf(key: string): Entry {
    const entry = this.#entries.get(key) ?? {
      zone: undefined,
      fetchedAtMs: 0,
      failure: undefined,
      failedAtMs: 0,
      fetching: undefined,
    };
    this.#entries.delete(key);
    if (this.#entries.size >= BIND_LIMITS.remoteZonesMax) {
      this.#entries.delete(this.#entries.keys().next().value as string);
    }
    this.#entries.set(key, entry);
    return entry;
  }
}

/** Reads a zone of another resolver: the names that it inherits from get its authority. */
function readRemote(key: string, text: string): Zone {
  const authority = authorityOf(key);
  const zone = readZoneText(nameOf(key), text);
  const cascades = zone.cascades.map(({ target, value }) =>
    target === undefined || isRemote(target) ? { target, value } : { target: `${target}@${authority}`, value },
  );
  return { ...zone, name: key, cascades };
}

/** A zone that was fetched some time ago, with the rest of its ttl and of the ttls of its records. */
function aged(zone: Zone, ageSeconds: number, isStale: boolean): Zone {
  const left = (ttl: number) =>
    isStale ? BIND_LIMITS.transientTtlSeconds : Math.max(BIND_LIMITS.ttlMinSeconds, ttl - ageSeconds);
  const endpoints = zone.endpoints.map((record) =>
    record.ttl === undefined ? record : { ...record, ttl: left(record.ttl) },
  );
  return { ...zone, ttl: left(zone.ttl), endpoints, remote: { ageSeconds, isStale } };
}

function isRemote(key: string): boolean {
  return key.includes('@');
}

function nameOf(key: string): string {
  return key.slice(0, key.indexOf('@'));
}

function authorityOf(key: string): string {
  return key.slice(key.indexOf('@') + 1);
}
