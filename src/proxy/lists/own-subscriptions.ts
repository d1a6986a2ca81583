import type { CallUpstream } from '../../wire/upstream.ts';

type Told = Pick<CallUpstream, 'era' | 'capabilities' | 'request' | 'listen'>;

/** A connection that serves one client only. */
interface OwnConnection {
  readonly server: string;
  readonly key: string;
  readonly upstream: Told;
}

/** The subscriptions and the log level that one connection already has. */
interface Known {
  level: string | undefined;
  readonly watched: Set<string>;
}

/**
 * Sends clients' resource subscriptions and log levels to the servers on their own connections: to open ones, and to those that open
 * later, since a connection may be evicted and reopened.
 */
export class OwnSubscriptions {
  /** key → server → URI → how many of the client's streams watch it. */
  readonly #wanted = new Map<string, Map<string, Map<string, number>>>();
  readonly #known = new WeakMap<object, Known>();

  /** Registers a client's subscription to a resource. */
  want(key: string, server: string, uri: string): void {
    const servers = this.#wanted.get(key) ?? new Map<string, Map<string, number>>();
    this.#wanted.set(key, servers);
    const uris = servers.get(server) ?? new Map<string, number>();
    servers.set(server, uris);
    uris.set(uri, (uris.get(uri) ?? 0) + 1);
  }

  /** Undoes one `want`. */
  unwant(key: string, server: string, uri: string): void {
    const servers = this.#wanted.get(key);
    const uris = servers?.get(server);
    const left = (uris?.get(uri) ?? 0) - 1;
    if (left > 0) uris?.set(uri, left);
    else uris?.delete(uri);
    if (uris?.size === 0) servers?.delete(server);
    if (servers?.size === 0) this.#wanted.delete(key);
  }

  forget(key: string): void {
    this.#wanted.delete(key);
  }

  /** Records that the client itself subscribed or unsubscribed on this connection. */
  note({ upstream }: Pick<OwnConnection, 'upstream'>, uri: string, isWatched: boolean): void {
    const { watched } = this.#knownOf(upstream);
    if (isWatched) watched.add(uri);
    else watched.delete(uri);
  }

  /** Sends the missing subscriptions and the log level to a server; undefined: nothing is missing. */
  prepare({ server, key, upstream }: OwnConnection, level: string | undefined): Promise<void> | undefined {
    const known = this.#knownOf(upstream);
    const wanted = this.#wanted.get(key)?.get(server);
    const uris = wanted ? [...wanted.keys()].filter((uri) => !known.watched.has(uri)) : [];
    const work = uris.map((uri) => watch(upstream, known, uri));
    const hasLevels = upstream.era === '2025' && upstream.capabilities.logging !== undefined;
    if (level !== undefined && level !== known.level && hasLevels) work.push(setLevel(upstream, known, level));
    return work.length === 0 ? undefined : Promise.all(work).then(() => undefined);
  }

  #knownOf(upstream: Told): Known {
    const known = this.#known.get(upstream) ?? { level: undefined, watched: new Set() };
    this.#known.set(upstream, known);
    return known;
  }
}

async function setLevel(upstream: Told, known: Known, level: string): Promise<void> {
  known.level = level;
  await upstream.request({ method: 'logging/setLevel', params: { level } }).catch(() => {
    // A server that rejects the level logs as it likes; the call continues.
  });
}

async function watch(upstream: Told, known: Known, uri: string): Promise<void> {
  known.watched.add(uri);
  if (upstream.era === '2026') {
    // The subscription ends with the connection.
    upstream.listen({ resourceSubscriptions: [uri] });
    return;
  }
  await upstream.request({ method: 'resources/subscribe', params: { uri } }).catch(() => {
    // A server without subscriptions sends no updates; the call continues.
  });
}
